package dev.lockstep.redaction;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects rules, from the defaults and from files, and makes a {@link RuleSet} of them. */
final class RuleBuilder {
    /** Gateways and proxies pass the first one on under names of their own. */
    private static final String[] CREDENTIAL_HEADERS = words("authorization proxy-authorization "
            + "x-forwarded-authorization x-original-authorization x-serverless-authorization "
            + "grpcgateway-authorization grpc-metadata-authorization");

    private static final String[] COOKIE_HEADERS = words("cookie cookie2 grpcgateway-cookie grpc-metadata-cookie");
    private static final String[] SECRET_HEADERS = words("x-api-key api-key x-api-token api-token x-api-secret "
            + "x-auth x-auth-token x-auth-key x-access-token access-token x-refresh-token x-id-token "
            + "x-session-token x-session-id x-csrf-token x-csrftoken csrf-token x-xsrf-token "
            + "x-amz-security-token x-amz-server-side-encryption-customer-key x-goog-api-key "
            + "x-goog-iap-jwt-assertion x-functions-key ocp-apim-subscription-key x-vault-token x-consul-token "
            + "x-gitlab-token private-token job-token x-github-token x-shopify-access-token "
            + "x-forwarded-access-token x-amzn-oidc-accesstoken x-amzn-oidc-data x-ms-token-aad-access-token "
            + "x-ms-token-aad-id-token x-ms-token-aad-refresh-token cf-access-jwt-assertion "
            + "cf-access-client-secret x-jwt-assertion x-client-secret x-password x-secret x-token dpop "
            + "x-authorization x-rapidapi-key x-hasura-admin-secret dd-api-key dd-application-key x-access-key "
            + "x-secret-key x-admin-token x-user-token x-service-token x-webhook-secret x-nuget-apikey "
            + "x-jfrog-art-api x-registry-auth request-verification-token x-request-verification-token "
            + "token auth auth-token auth-key session-token session-id refresh-token id-token xsrf-token jwt x-jwt "
            + "x-jwt-token app-token x-app-token secret api-secret app-secret x-app-secret client-secret secret-key "
            + "access-key password x-auth-password x-user-password x-openam-password x-amz-access-token x-sentry-auth "
            + "x-rollbar-access-token x-sf-token x-license-key x-parse-session-token x-parse-rest-api-key "
            + "x-parse-master-key x-algolia-api-key cb-access-key cb-access-sign cb-access-passphrase");
    private static final String[] ADDRESS_HEADERS = {
        "referer",
        "x-original-url",
        "x-rewrite-url",
        "x-forwarded-uri",
        "x-forwarded-url",
        "x-original-uri",
        "x-request-uri",
        "x-envoy-original-path",
        "origin",
        "location",
        "content-location",
        "destination"
    };

    /**
     * What says how a request is read: without it a request is none, so no rule replaces it. Servers know these names
     * only as they are written here, whatever their case.
     */
    private static final String[] FRAMING_HEADERS = words("content-length transfer-encoding content-type "
            + "content-encoding connection upgrade expect :path :method :scheme :protocol");

    /**
     * What is secret wherever a client puts it. Clients log in to Vault with a secret_id; the SecretId of AWS Secrets
     * Manager, which is only a name, matches it too. That breaks no replay: those requests are signed, and the
     * Authorization that signs them is replaced anyway.
     */
    private static final String[] SECRET_FIELDS = words("api_key api_secret api_token app_secret access_token "
            + "refresh_token id_token auth_token session_token security_token csrf_token xsrf_token "
            + "csrfmiddlewaretoken authenticity_token token jwt id_token_hint client_secret client_assertion "
            + "code_verifier assertion secret secret_key secret_access_key private_key password passwd "
            + "passphrase pwd passcode new_password old_password current_password password_confirmation "
            + "confirm_password password1 password2 new_password1 new_password2 password_new password_confirm "
            + "plain_password j_password user_password user_pass pass access_key aws_secret_access_key "
            + "aws_session_token samlresponse session_id jsessionid phpsessid otp totp mfa_code credit_card "
            + "card_number cvv cvc csrf xsrf request_verification_token oauth_token oauth_token_secret "
            + "subject_token actor_token reset_token reset_password_token secret_id oauth_signature x-amz-signature "
            + "x-amz-credential x-amz-security-token x-goog-signature x-goog-credential subscription-key "
            + "authorization bearer_token x-api-key x-auth-token logout_token consumer_secret webhook_secret "
            + "signing_secret shared_secret db_password database_password admin_password login_password "
            + "bind_password smtp_password proxy_password key_password keystore_password truststore_password "
            + "repeat_password retype_password verify_password confirm_new_password new_password_confirm "
            + "new_password_confirmation db_pass passwort bearer");
    /** What is secret only as a parameter: in bodies these words mean other things. */
    private static final String[] SECRET_PARAMETERS = words("signature sig auth");

    private final NameSet.Builder headers = NameSet.builder();
    private final NameSet.Builder query = NameSet.builder();
    private final NameSet.Builder form = NameSet.builder();
    private final NameSet.Builder jsonNames = NameSet.builder();
    private final List<String[]> jsonPaths = new ArrayList<>();
    private final NameSet.Builder functions = NameSet.builder();
    private final List<int[]> thriftPaths = new ArrayList<>();
    private final Set<String> described = new LinkedHashSet<>();
    private boolean addressPasswords;

    RuleBuilder() {
        for (String header : FRAMING_HEADERS) {
            headers.addExact(header, framingBits(header));
        }
        for (String header : ADDRESS_HEADERS) {
            headers.add(header, HeaderRules.ADDRESS);
        }
        for (String field : words("name key type path")) {
            jsonNames.add(field, JsonRules.NAME);
        }
        jsonNames.add("value", JsonRules.VALUE);
    }

    private static long framingBits(String header) {
        switch (header) {
            case "content-type":
                return HeaderRules.CONTENT_TYPE;
            case "content-encoding":
                return HeaderRules.CONTENT_ENCODING;
            case "transfer-encoding":
                return HeaderRules.TRANSFER_ENCODING;
            case ":method":
                return HeaderRules.METHOD;
            case ":path":
                return HeaderRules.ADDRESS;
            default:
                return 0;
        }
    }

    private static String[] words(String list) {
        return list.split(" ");
    }

    RuleBuilder defaults() {
        for (String header : CREDENTIAL_HEADERS) {
            headers.add(header, HeaderRules.CREDENTIALS);
        }
        for (String header : SECRET_HEADERS) {
            headers.add(header, HeaderRules.SECRET);
        }
        for (String header : COOKIE_HEADERS) {
            headers.add(header, HeaderRules.COOKIE);
        }
        headers.add("set-cookie", HeaderRules.SET_COOKIE);
        headers.add("sec-websocket-protocol", HeaderRules.PROTOCOLS);
        for (String field : SECRET_FIELDS) {
            query.add(field, 1);
            form.add(field, 1);
            jsonNames.add(field, JsonRules.SECRET);
        }
        for (String field : SECRET_PARAMETERS) {
            query.add(field, 1);
        }
        addressPasswords = true;
        described.add("default rules");
        return this;
    }

    /** Adds a header; Authorization and cookies keep their structure whoever names them. */
    void header(String pattern) {
        String folded = NameSet.Builder.fold(pattern);
        for (String header : FRAMING_HEADERS) {
            if (folded.equals(NameSet.Builder.fold(header))) {
                throw new IllegalArgumentException(
                        "expected no header that says how a request is read, found '" + pattern + "'");
            }
        }
        headers.add(pattern, headerBits(folded));
    }

    private static long headerBits(String folded) {
        switch (folded) {
            case "authorization":
            case "proxyauthorization":
                return HeaderRules.CREDENTIALS;
            case "cookie":
                return HeaderRules.COOKIE;
            case "setcookie":
                return HeaderRules.SET_COOKIE;
            default:
                return HeaderRules.SECRET;
        }
    }

    void query(String pattern) {
        query.add(pattern, 1);
    }

    void form(String pattern) {
        form.add(pattern, 1);
    }

    /** Adds a name that is secret anywhere, or a dotted path from the root. */
    void json(String path) {
        String[] names = path.split("\\.", -1);
        if (names.length == 1) {
            jsonNames.add(path, JsonRules.SECRET);
            return;
        }
        for (String name : names) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("expected names with dots between them, found '" + path + "'");
            }
            NameSet.Builder.fold(name);
        }
        if (jsonPaths.size() == JsonRules.MOST_PATHS) {
            throw new IllegalArgumentException(
                    "expected at most " + JsonRules.MOST_PATHS + " dotted paths, found one more");
        }
        jsonPaths.add(names);
    }

    /** Adds fields of a function's arguments, as ids with dots between them. */
    void thrift(String function, String path) {
        String[] texts = path.split("\\.", -1);
        int[] ids = new int[texts.length];
        for (int i = 0; i < ids.length; i++) {
            try {
                ids[i] = Short.parseShort(texts[i]);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "expected field ids with dots between them, such as 1 or 2.3, found '" + path + "'");
            }
        }
        if (thriftPaths.size() == ThriftRules.MOST_PATHS) {
            throw new IllegalArgumentException(
                    "expected at most " + ThriftRules.MOST_PATHS + " Thrift fields, found one more");
        }
        functions.add(function, 1L << thriftPaths.size());
        thriftPaths.add(ids);
    }

    void described(String what) {
        described.add(what);
    }

    RuleSet build() {
        int depth = 0;
        for (String[] path : jsonPaths) {
            depth = Math.max(depth, path.length);
        }
        NameSet[] levels = new NameSet[depth];
        long[] complete = new long[depth];
        for (int level = 0; level < depth; level++) {
            NameSet.Builder names = NameSet.builder();
            for (int i = 0; i < jsonPaths.size(); i++) {
                String[] path = jsonPaths.get(i);
                if (level < path.length) {
                    names.add(path[level], 1L << i);
                    complete[level] |= level == path.length - 1 ? 1L << i : 0;
                }
            }
            levels[level] = names.build();
        }
        return new RuleSet(
                headers.build(),
                query.build(),
                form.build(),
                new JsonRules(jsonNames.build(), levels, complete),
                new ThriftRules(functions.build(), thriftPaths),
                addressPasswords,
                String.join(", ", described));
    }
}
