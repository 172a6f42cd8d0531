package dev.lockstep.redaction;

import static dev.lockstep.redaction.TestingStream.redact;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HttpRedactionTest {
    private static final String SECRET = "s3cr3tV4lue-9f8e7d6c5b4a";

    private final RedactionPolicy policy =
            RedactionPolicy.defaults(TestingStream.KEY).unsearchable(Unsearchable.KEEP);

    private static String get(String target, String... headers) {
        StringBuilder text = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: shop\r\n");
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    private static String post(String type, String body, String... headers) {
        StringBuilder text = new StringBuilder("POST /login HTTP/1.1\r\nHost: shop\r\n");
        if (type != null) {
            text.append("Content-Type: ").append(type).append("\r\n");
        }
        for (String header : headers) {
            text.append(header).append("\r\n");
        }
        return text.append("Content-Length: ")
                .append(body.length())
                .append("\r\n\r\n")
                .append(body)
                .toString();
    }

    /** Returns what comes out where the secret stood; nothing else may have changed. */
    private String token(String stream) {
        return token(stream, SECRET);
    }

    private String token(String stream, String secret) {
        String out = redact(policy, stream);
        assertEquals(stream.length(), out.length());
        int at = stream.indexOf(secret);
        String token = out.substring(at, at + secret.length());
        assertEquals(stream.replace(secret, token), out);
        assertNotEquals(secret, token);
        assertFalse(out.contains(secret), out);
        return token;
    }

    @Test
    void keepsTheSchemeOfCredentials() {
        String basic = Base64.getEncoder().encodeToString(("user:" + SECRET).getBytes(StandardCharsets.US_ASCII));
        token(get("/", "Authorization: Basic " + basic), basic);
        token(get("/", "authorization:bearer   " + SECRET + "  "));
        token(get("/", "Proxy-Authorization: Bearer " + SECRET));
        token(get("/", "AUTHORIZATION: " + SECRET));
        token(get("/", "Authorization: unknown " + SECRET), "unknown " + SECRET);
        token(
                get("/", "Authorization: Digest username=\"u\", response=\"" + SECRET + "\""),
                "username=\"u\", response=\"" + SECRET + "\"");
        assertEquals(6, policy.counts().of(RuleKind.HEADER));
    }

    @Test
    void replacesTheValuesOfCookiesOnly() {
        String out = redact(
                policy, get("/", "Cookie: lang=" + SECRET + "; sid=\"" + SECRET + "\"; flag; empty=;x=" + SECRET));
        assertFalse(out.contains(SECRET));
        assertTrue(out.matches("(?s).*Cookie: lang=(\\w{24}); sid=\"\\1\"; \\w{4}; empty=;x=\\1\r\n\r\n"), out);
        assertFalse(out.contains("flag"));
        assertEquals(4, policy.counts().of(RuleKind.COOKIE));
        token(get("/", "Set-Cookie: sid=" + SECRET + "; Path=/; HttpOnly"));
        assertEquals(0, policy.counts().of(RuleKind.HEADER));
    }

    @Test
    void replacesSecretHeadersWhateverTheirCase() {
        for (String name : new String[] {
            "X-Api-Key",
            "api-key",
            "X-AUTH-TOKEN",
            "x-amz-security-token",
            "X-CSRF-Token",
            "X-Vault-Token",
            "x_api_key",
            "Token",
            "Auth-Token",
            "JWT",
            "Session-Id",
            "Password",
            "X-OpenAM-Password",
            "X-Amz-Access-Token"
        }) {
            token(get("/", name + ": " + SECRET));
            token(get("/", name + ":" + SECRET));
            token(get("/", name + " : " + SECRET));
        }
    }

    @Test
    void replacesWhatLoginFormsAndGatewaysSend() {
        String form = "application/x-www-form-urlencoded";
        for (String name : new String[] {
            "j_password",
            "_csrf",
            "password-new",
            "new_password1",
            "__RequestVerificationToken",
            "x[plainPassword]",
            "dbPassword",
            "DB_PASS",
            "passwort",
            "bearer",
            "authorization",
            "config[webhook_secret]",
            "loginForm:password",
            "loginForm%3Aj_idt5%3Apassword",
            "ctl00%24Main%24Password"
        }) {
            token(post(form, "j_username=u&" + name + "=" + SECRET + "&x=y"));
        }
        token(post("application/json", "{\"role_id\":\"r\",\"secret_id\":\"" + SECRET + "\"}"));
        token(get("/?oauth_consumer_key=k&oauth_signature=" + SECRET));
        token(post(form, "oauth_consumer_key=k&oauth_signature=" + SECRET + "&x=y"));
        token(post(
                "multipart/form-data; boundary=B",
                "--B\r\nContent-Disposition: form-data; name=X-Amz-Signature\r\n\r\n" + SECRET + "\r\n--B--\r\n"));
        token(post(
                "multipart/form-data; boundary=B",
                "--B\r\nContent-Disposition: form-data; name=f:password\r\n\r\n" + SECRET + "\r\n--B--\r\n"));
        for (String name :
                new String[] {"X-Serverless-Authorization", "grpcgateway-authorization", "Grpc-Metadata-Authorization"
                }) {
            token(get("/", name + ": Bearer " + SECRET));
        }
        token(get("/", "grpcgateway-cookie: sid=" + SECRET));
        token(get("/", "RequestVerificationToken: " + SECRET));
    }

    @Test
    void replacesTheTokensAmongTheProtocolsOfAWebSocket() {
        String name = "Sec-WebSocket-Protocol: ";
        token(get("/", name + "base64url.bearer.authorization.k8s.io." + SECRET + ", base64.binary.k8s.io"));
        token(get("/", name + "v1, authorization.bearer." + SECRET));
        token(get("/", name + "graphql-ws,access_token , " + SECRET));
        token(get("/", name + "access_token, , " + SECRET));
        token(get("/", name + "Authorization, Bearer, " + SECRET + ", chat"));
        String jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
        token(get("/", name + jwt + ", chat"), jwt);
        String none = get("/", name + "protobuf.reliable.webpubsub.azure.v1, , graphql-transport-ws,v4.channel.k8s.io");
        assertEquals(none, redact(policy, none));
        assertEquals(6, policy.counts().of(RuleKind.HEADER));
    }

    @Test
    void replacesContinuedLines() {
        String other = "0th3rP4rt";
        String stream = get("/", "X-Api-Key: " + SECRET, "\t" + other, "Accept: */*");
        String out = redact(policy, stream);
        assertFalse(out.contains(SECRET) || out.contains(other), out);
        assertTrue(out.endsWith("\r\nAccept: */*\r\n\r\n"));
    }

    @Test
    void replacesAllOfALineThatContinuesAValue() {
        String line = SECRET + "=x; y";
        for (String header : new String[] {
            "Cookie: a=b;", "Set-Cookie: a=b", "Referer: https://shop/?token=", "Sec-WebSocket-Protocol: access_token,"
        }) {
            for (String begin : new String[] {"GET / HTTP/1.1\r\n", "\1"}) {
                String stream = begin + header + "\r\n  " + line + "\r\nAccept: */*\r\n\r\n";
                String out = redact(policy, stream);
                assertTrue(out.matches("(?s).*\r\n  \\w{29}\r\nAccept: \\*/\\*\r\n\r\n"), out);
                assertFalse(out.contains(SECRET), out);
            }
        }
    }

    @Test
    void replacesParametersOfFragments() {
        token(get("/cb#access_token=" + SECRET + "&x=1"));
        token(get("/cb?a=b#access_token=" + SECRET));
        token(get("/cb;a=b#x=1&access_token=" + SECRET + "#end"));
        token(get("/", "Referer: https://a/#/cb?access_token=" + SECRET));
        token(get("/", "X-Original-Url: /cb#id_token=" + SECRET));
        assertEquals(5, policy.counts().of(RuleKind.QUERY));
        String form = "application/x-www-form-urlencoded";
        token(post(form, "next=https://a/cb#access_token=" + SECRET + "&x=y"));
        token(post(form, "password=p4rt#" + SECRET + "&x=y"), "p4rt#" + SECRET);
        token(post(form, "next=https://u:" + SECRET + "@a#x&y=z"));
    }

    @Test
    void replacesParametersOfTheTarget() {
        token(get("/?api_key=" + SECRET));
        token(get("/a/b?x=1&Access-Token=" + SECRET + "&y=2"));
        token(get("/a;jsessionid=" + SECRET + "/b?x=1"));
        token(get("/a;jsessionid=" + SECRET + "?x=1"));
        token(get("/?user%5Bpassword%5D=" + SECRET));
        token(get("/?p%61ssword=" + SECRET));
        token(get("/?user[password]=" + SECRET + "#f"));
        token(get("http://shop/?token=" + SECRET));
        token(get("/", "Referer: https://shop/?token=" + SECRET));
        assertEquals(9, policy.counts().of(RuleKind.QUERY));
    }

    @Test
    void givesTheSameTokenWhereverTheSecretStands() {
        String token = token(get("/", "X-Api-Key: " + SECRET));
        assertEquals(token, token(get("/", "Authorization: Bearer " + SECRET)));
        assertEquals(token, token(get("/", "Cookie: a=" + SECRET)));
        assertEquals(token, token(get("/?token=" + SECRET)));
        assertEquals(token, token(post("application/json", "{\"token\": \"" + SECRET + "\"}")));
        assertEquals(token, token(post("application/x-www-form-urlencoded", "token=" + SECRET)));
        String encoded = SECRET.replace("-", "%2D").replace("s", "%73");
        String inTarget = token(get("/?token=" + encoded), encoded);
        assertEquals(token, URLDecoder.decode(inTarget, StandardCharsets.UTF_8));
        String escaped = SECRET.replace("-", "\\u002d");
        String inJson = token(post("application/json", "{\"token\": \"" + escaped + "\"}"), escaped);
        int at = inJson.indexOf("\\u00");
        assertEquals(
                token,
                inJson.substring(0, at)
                        + (char) Integer.parseInt(inJson.substring(at + 2, at + 6), 16)
                        + inJson.substring(at + 6));
        assertTrue(token.matches("[A-Za-z0-9]+"));
        String other = redact(RedactionPolicy.defaults(RedactionKey.random()), get("/?token=" + SECRET));
        assertFalse(other.contains(token), "another key gives other tokens");
    }

    @Test
    void replacesJsonFieldsAtAnyDepth() {
        String json = "application/json";
        token(post(json, "{\"a\":[{\"b\":{\"Password\" : \"" + SECRET + "\"}}],\"c\":1}"));
        token(post("application/vnd.x+json; charset=utf-8", "{\"access_token\":\"" + SECRET + "\"}"));
        token(post(null, " {\"clientSecret\":\"" + SECRET + "\"}"));
        token(post("text/plain", "[{\"p\\u0061ssword\":\"" + SECRET + "\"}]"));
        token(post(json, "{\"password\":{\"value\":\"" + SECRET + "\",\"valid\":true}}"));
        token(post(json, "{\"password\":[null,\"" + SECRET + "\"],\"a\":\"b\"}"));
        String out = redact(policy, post(json, "{\"password\":\"a\\\"b\\\\c\\n" + SECRET + "é\",\"a\":\"\\\"x\"}"));
        assertFalse(out.contains(SECRET));
        assertTrue(out.endsWith("\",\"a\":\"\\\"x\"}"), out);
    }

    @Test
    void keepsJsonNumbersNumbers() {
        String out = redact(
                policy,
                post(
                        "application/json",
                        "{\"otp\":987654,\"pwd\":-90.25e10,\"cvc\":0,\"cvv\":true,\"passcode\":[12,null],\"n\":987654}"));
        String body = out.substring(out.indexOf('{'));
        assertTrue(
                body.matches("\\{\"otp\":[1-8]\\d{5},\"pwd\":-[1-8]\\d\\.\\d\\de0\\d,\"cvc\":\\d,\"cvv\":true,"
                        + "\"passcode\":\\[1\\d,null],\"n\":987654}"),
                body);
        assertFalse(body.contains("\"otp\":987654"));
        assertEquals(4, policy.counts().of(RuleKind.JSON));
    }

    /** As connectors and frameworks have their settings. */
    @Test
    void looksAtWhatStandsBehindTheLastDotOfANameInJson() {
        for (String name : new String[] {"db.password", "a.very-long_name.1.apiKey", "x\\u002etoken", ".pwd"}) {
            for (String json : new String[] {
                "{\"" + name + "\":\"" + SECRET + "\"}",
                "{\"n\":1,\"otp\":true,\"config\":{\"a\":[{}],\"" + name + "\" : [\"" + SECRET + "\"]}}",
                "[{\"token\":\"" + SECRET + "\",\"" + name + "\":\"" + SECRET + "\"}]"
            }) {
                token(post("application/json", json));
                token(get("/?f=" + encoded(json)));
            }
        }
        String json = "{\"token.url\":\"a\",\"password.encoder\":\"b\",\"c\":[\"x.token\",\"y.otp\"],\"d\":\"x.pwd\"}";
        String kept = post("application/json", json);
        assertEquals(kept, redact(policy, kept));
    }

    /** As serialised forms, variables of environments and patches have it. */
    @Test
    void replacesTheValueBehindItsNameInJson() {
        for (String json : new String[] {
            "[{\"name\":\"u\",\"value\":\"v\"},{\"name\":\"pwd\",\"value\":\"SE\"},{\"name\":\"x\",\"value\":\"y\"}]",
            "{\"name\":\"spring.datasource.password\",\"value\":\"SE\"}",
            "{\"type\":\"password\",\"temporary\":false,\"value\":\"SE\"}",
            "[{\"op\":\"add\",\"path\":\"\\/user/password\",\"value\":\"SE\"}]",
            "{\"Key\" : \"otp\", \"Value\" : {\"a\": [\"SE\"]}, \"b\": \"c\"}",
            "{\"name\":\"pwd\",\"a\":[{\"name\":\"x\",\"value\":\"y\"}],\"value\":\"SE\"}"
        }) {
            String body = json.replace("SE", SECRET);
            token(post("application/json", body));
            token(get("/?f=" + encoded(body)));
        }
        for (String json : new String[] {
            "[{\"name\":\"password\"},{\"value\":\"a\"}]",
            "{\"name\":\"password\",\"o\":{\"value\":\"a\"},\"values\":\"b\"}",
            "{\"type\":1,\"tokens\":{},\"otp\":true,\"value\":\"a\"}",
            "{\"a\":\"password\",\"value\":\"b\",\"x/password\":\"c\"}"
        }) {
            String kept = post("application/json", json);
            assertEquals(kept, redact(policy, kept));
        }
    }

    @Test
    void replacesFormFields() {
        token(post("application/x-www-form-urlencoded", "user=u&password=" + SECRET + "&x=y"));
        token(post(null, "user=u&password=" + SECRET));
        String multipart = "--B\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nu\r\n"
                + "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n" + SECRET + "\r\n"
                + "--B\r\ncontent-disposition: form-data; name=meta\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n"
                + "--B--\r\n";
        token(post("multipart/form-data; boundary=B", multipart));
        token(post("multipart/form-data; boundary=\"B\"", multipart));
        token(post(
                "multipart/form-data; boundary=B",
                multipart
                        .replace(SECRET, "plain")
                        .replace("{\"a\":1}", "{\"token\":\"" + SECRET + "\"}")
                        .replace("password", "other")));
        assertEquals(4, policy.counts().of(RuleKind.FORM));
    }

    @Test
    void looksIntoJsonWhateverItsNameAndIntoLinesOfText() {
        String json = "{\"AuthParameters\":{\"PASSWORD\":\"" + SECRET + "\"}}";
        token(post("application/x-amz-json-1.1", json));
        token(post("application/octet-stream", " " + json));
        token(post("application/geo+json-seq", "\u001E" + json));
        token(post(
                "multipart/form-data; boundary=B",
                "--B\r\nContent-Disposition: form-data; name=x\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
                        + "user=u&password=" + SECRET + "\r\n--B--\r\n"));
        token(post(null, "\u00EF\u00BB\u00BF" + json));
        token(post("text/plain", "user=bob\r\npassword=" + SECRET));
        token(post("text/plain", "password=p4rt\r\n" + SECRET), "p4rt\r\n" + SECRET);
        assertEquals(0, policy.counts().unsearchedBodies());
        redact(policy, post("text/xml", "<Password>x</Password>"));
        redact(policy, post("application/octet-stream", "\u00FF\u0000"));
        assertEquals(2, policy.counts().unsearchedBodies());
    }

    /** As in properties, environments and logs. */
    @Test
    void looksForNamesAmongTheWordsOfText() {
        token(post("text/plain", "[default]\naws_secret_access_key = " + SECRET), " " + SECRET);
        token(post("text/plain", "db:\n\tpassword\t=" + SECRET + " p4rt"), SECRET + " p4rt");
        token(post("text/plain", "what? token = " + SECRET), " " + SECRET);
        for (String before : new String[] {
            "export TOKEN=", "12:00 INFO token=", "level=info msg=x token=", "at= token=", "a=\"b c\" jwt="
        }) {
            for (String end : new String[] {"", " user=u", "\nuser=u", "\r\n", "\tx"}) {
                token(post("text/plain", before + SECRET + end));
                token(multipart("", before + SECRET + end));
            }
        }
        String json = "{\"password\": \"" + SECRET + "\"}";
        token(post("text/plain", "INFO secret=" + json + "\nnext"), json);
        for (String quoted : new String[] {"\"p4rt SE\"", "'p4rt SE'", "\"p4rt\\\" SE\"", "\"p4rt\"'s SE\""}) {
            String value = quoted.replace("SE", SECRET);
            token(post("text/plain", "level=info password=" + value + " user=u"), value);
        }
        token(post("text/plain", "INFO db.password=p4rt\n" + SECRET + " of it"), "p4rt\n" + SECRET + " of it");
        token(post("text/plain", "12:00 INFO password = p4rt " + SECRET + "\r\nnext"), " p4rt " + SECRET);
        assertEquals(policy.counts().total(), policy.counts().of(RuleKind.FORM));
        for (String before : new String[] {"x= ", "x={} ", "x=y ; z= "}) {
            token(post("text/plain", before + "{\"token\": \"" + SECRET + "\"}"));
        }
        String kept = post("text/plain", "a token is = b, the password (x) = y; token and tokens=1 = =\n = password");
        assertEquals(kept, redact(policy, kept));
    }

    @Test
    void looksIntoAddressesWithinAddresses() {
        token(get("/login?next=/cb?token=" + SECRET));
        token(get("/", "Referer: https://a/r?url=https://b/cb?access_token=" + SECRET));
        token(get("/", "X-Envoy-Original-Path: /users?api_key=" + SECRET));
        token(get("/?password=p4rt?" + SECRET), "p4rt?" + SECRET);
        token(get("/proxy?https://b.example/cb?access_token=" + SECRET));
        token(get("/login?/cb?token=" + SECRET));
        String next = "next=https%3A%2F%2Fa%2Fcb%3fx%3d1%26token%3D";
        token(get("/login?" + next + SECRET + "%26y%3D2&z=3"));
        token(get("/login?" + next + SECRET));
        token(get("/login?https%3A%2F%2Fa%2Fcb%3Ftoken%3D" + SECRET));
        token(get("/login?next=%2Fcb%23access_token%3D" + SECRET + "%23end"));
        token(post("application/x-www-form-urlencoded", "a=b&" + next + SECRET + "%26y%3D2&z=3"));
        token(get("/", "Referer: https://a/r?" + next + SECRET + "%26y%3D2"));
        String kept = get("/?next=%2Fcb%3Fx%3D1%26y%3D%zz%&token=" + "%26q=1");
        assertEquals(kept.length(), redact(policy, kept).length());
        token(get("/?login%23password=ab%26" + SECRET + "&x=1"), "ab%26" + SECRET);
        String empty = get("/?next=%2Fcb%3Ftoken%3D%26x%3D1");
        assertEquals(empty, redact(policy, empty));
    }

    @Test
    void looksIntoAddressesWithinAddressesThatAreEncodedTwice() {
        String next = "next=%2Fr%3Furl%3Dhttps%253A%252F%252Fa%252Fcb%253fx%253d1%2526token%253D";
        token(get("/login?" + next + SECRET + "%2526y%253D2%26y%3D2&z=3"));
        token(get("/login?" + next + SECRET + "%26y%3D2"));
        token(get("/login?" + next + SECRET));
        token(get("/login?next=%252Fcb%2523access_token%253D" + SECRET + "%2523end"));
        token(get("/login?next=%2Fcb%3Fp%2561ssword%3Dp%2526" + SECRET + "%26x%3D1"), "p%2526" + SECRET);
        token(get("/login?next=%25%32%46cb%25%33%46token%25%33%44" + SECRET + "%25%32%36x"));
        token(post("application/x-www-form-urlencoded", "a=b&" + next + SECRET + "%2526y%253D2&z=3"));
        String kept = get("/?next=%2Fcb%253Fx%253D%25zz%25&y=100%25&token%253D=ab%2526q=1");
        assertEquals(kept, redact(policy, kept));
        assertEquals(7, policy.counts().total());
    }

    @Test
    void looksIntoAddressesThatAreAPartOfAPath() {
        String address = "/proxy/https%3A%2F%2Fa%2Fcb%3Fx%3D1%26token%3D";
        token(get(address + SECRET));
        token(get(address + SECRET + "%26y%3D2/b?z=3"));
        token(get(address.replace("%", "%25") + SECRET + "%2526y%253D2"));
        token(get("/proxy/%2Fcb%23access_token%3D" + SECRET + "?x=1"));
        token(get("/proxy/%2Fa%3Bjsessionid%3D" + SECRET + "/b"));
        token(get("/", "X-Original-Url: " + address + SECRET));
        assertEquals(6, policy.counts().of(RuleKind.QUERY));
        token(get("http://user:p%3Fx%3D" + SECRET + "@shop/"), "p%3Fx%3D" + SECRET);
    }

    @Test
    void replacesThePasswordsOfAddresses() {
        token(get("http://user:" + SECRET + "@shop/a?x=1"));
        token(get("http://:" + SECRET + "@shop:8080"));
        token(get("http://user:" + SECRET + "@[::1]:80/;x=1"));
        token(get("/proxy/https%3A%2F%2Fu%3A" + SECRET + "%40a%2F"));
        token(get("/a;next=http://u:" + SECRET + "@a/b"));
        for (String header : new String[] {"Referer", "Origin", "Location", "Destination", "X-Original-Url"}) {
            token(get("/", header + ": https://u:" + SECRET + "@shop"));
            String marks = "p@ss;&=:" + SECRET + ";x&y=" + SECRET;
            token(get("/", header + ": https://u:" + marks + "@shop/a;b=c?d=e@f"), marks);
        }
        token(get("/login?next=https://u:" + SECRET + "@a/cb&x=1"));
        token(get("/login?next=https://u:" + SECRET + "@a&x=1"));
        token(get("/login?https://u:" + SECRET + "@a"));
        token(get("/login?next=https%3A%2F%2Fu%3A" + SECRET + "%40a%2Fcb&x=1"));
        token(get("/login?next=https%3A//u%3A" + SECRET + "%40a/cb"));
        token(get("/login?next=https%253A%252F%252Fu%253A" + SECRET + "%2540a%26x%3D1"));
        token(get("/login?next=https%3A%2F%2Fu%3Ap%26" + SECRET + "%40a"), "p%26" + SECRET);
        String deeper = "p%2F" + SECRET + "%40%3F";
        token(get("/login?next=https://u:" + deeper + "@a/"), deeper);
        token(post("application/x-www-form-urlencoded", "a=b&url=https%3A%2F%2Fu%3A" + SECRET + "%40a%2F&x=y"));
        token(post("text/plain", "see\r\nhttps://u:" + SECRET + "@a\r\n"));
        token(post("text/plain", "1:https://u:" + SECRET + "@a"));
        String json = "application/json";
        token(post(json, "{\"url\":\"postgres://u:" + SECRET + "@a/b\",\"c\":1}"));
        token(post(json, "[\"amqp:\\/\\/u:" + SECRET + "\\u0040a\"]"));
        token(post(json, "{\"a\":\"{\\\"url\\\":\\\"redis://:" + SECRET + "@a\\\"}\"}"));
        token(multipart("", "https://u:" + SECRET + "@a/"));
        for (String list : new String[] {
            "http://a,http://u:", "feed://https://u:", "http://a:8080+http://u:", "nats://a:1;nats://:"
        }) {
            token(post("text/plain", list + SECRET + "@b:4222"));
            token(post(json, "{\"urls\":\"" + list + SECRET + "@b:4222\"}"));
            token(get("/?urls=" + URLEncoder.encode(list, StandardCharsets.UTF_8) + SECRET + "%40b"));
        }
        token(get("/?urls=http%3A%2F%2Fa%3A8080+http%3A%2F%2Fu%3A" + SECRET + "%40b"));
        token(get("/proxy/http:%2F%2Fu:p+" + SECRET + "@h"), "p+" + SECRET);
        token(get("/?a=http://host;next=http%3A%2F%2Fu%3A" + SECRET + "%40b"));
        token(get("/?next=%2Fcb%3Fa%3Dhttp%3A%2F%2Fhost%26b%3Dhttp%253A%252F%252Fu%253A" + SECRET + "%2540h"));
        token(get("/?next=http%3A%2F%2Fu%3A%2C" + SECRET + "%40h"), "%2C" + SECRET);
        assertEquals(policy.counts().total(), policy.counts().of(RuleKind.ADDRESS));
        assertEquals(
                token(get("/", "X-Api-Key: " + SECRET)),
                token(get("/login?next=https%3A%2F%2Fu%3A" + SECRET + "%40a%2F")));
    }

    @Test
    void leavesAddressesWithoutPasswordsAlone() {
        for (String stream : new String[] {
            get("http://shop:8080/@me", "Referer: http://shop:8080/?mail=a@b", "Origin: http://[::1]:8080"),
            get("http://user@shop:8080/", "Referer: http://shop:8080", "Location: //u:p@shop/"),
            get("/?u=http://shop:8080&mail=a@b"),
            get("/?u=http://shop:8080;mail=a@b"),
            get("/?u=http%3A%2F%2Fshop%3A8080+or+bob%40x.com&v=http%3A%2F%2Fshop%3Ax+a%40b"),
            post("text/plain", "http://shop:8080,jo@example.com (http://shop:8080)jo@x 'http://shop:8080','jo@x'"),
            get("/?u=http%3A%2F%2Fshop%3A8080%26mail%3Da%40b"),
            get("/?u=https://shop%3A80/@b&mail=mailto:a:b@c&t=12:30@noon"),
            post("application/json", "{\"a\":\"http://shop:8080\",\"b\":\"c@d\",\"e\":\"spotify://track:4uLU6h\"}"),
            post("text/plain", "spotify://track:4uLU6h a@b, <http://shop:8080> a@b\nhttp://shop:x")
        }) {
            assertEquals(stream, redact(policy, stream));
        }
        token(get("/?u=http://shop:8080;token=" + SECRET));
        token(get("/?next=%2Fcb%3Fu%3Dhttp%3A%2F%2Fshop%3Ax%26token%3D" + SECRET));
        assertEquals(0, policy.counts().of(RuleKind.ADDRESS));
    }

    @Test
    void replacesWhatMayBeThePasswordOfAnAddressBeforeMissingBytes() {
        for (String before : new String[] {
            "GET http://user:" + SECRET,
            "GET / HTTP/1.1\r\nReferer: http://user:" + SECRET,
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"u\":\"http://user:"
                    + SECRET
        }) {
            try (TestingStream stream = new TestingStream(policy, null, false)) {
                stream.feed(before);
                stream.missing(0);
                stream.feed(get("/plain"));
                assertFalse(TestingStream.latin(stream.end()).contains(SECRET));
            }
        }
    }

    @Test
    void takesSemicolonsForSeparatorsAndForPartsOfASecret() {
        String form = "application/x-www-form-urlencoded";
        token(post(form, "user=u;password=" + SECRET + "&x=y"));
        token(post(form, "user;password=" + SECRET + ";p4rt=2&x=y"), SECRET + ";p4rt=2");
        token(get("/?user=u;password=" + SECRET + "&x=y"));
        token(get("/?password=p4rt;" + SECRET + "&x=y"), "p4rt;" + SECRET);
        token(get("/a;jsessionid=" + SECRET + ";v=1/b?x=1"));
    }

    /** As curl -d and curl -F send it, unless told its type. */
    @Test
    void replacesJsonFieldsOfWhatIsCalledAForm() {
        String json = "{\"user\":\"u\",\"password\":\"" + SECRET + "\"}";
        token(post("application/x-www-form-urlencoded", json));
        token(post("application/x-www-form-urlencoded", " [" + json + "]"));
        for (String type : new String[] {"", "text/plain", "application/octet-stream", "image/png"}) {
            token(multipart(type, json, "", "{"));
            token(multipart(type, "\u00EF\u00BB\u00BF" + json, "", "{"));
        }
        assertEquals(10, policy.counts().of(RuleKind.JSON));
        assertEquals(0, policy.counts().unsearchedBodies());
    }

    /** Returns a request with parts, each a type, empty where it does not say it, and what is in it. */
    private static String multipart(String... parts) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < parts.length; i += 2) {
            body.append("--B\r\nContent-Disposition: form-data; name=part\r\n")
                    .append(parts[i].isEmpty() ? "" : "Content-Type: " + parts[i] + "\r\n")
                    .append("\r\n")
                    .append(parts[i + 1])
                    .append("\r\n");
        }
        return post("multipart/form-data; boundary=B", body.append("--B--\r\n").toString());
    }

    @Test
    void searchesPartsAsBodiesOfTheirTypeAndCountsWhatItCannotSearch() {
        token(multipart("", "user=bob\r\npassword=" + SECRET, "text/csv", "a;b\r\ntoken=" + SECRET));
        token(multipart("", "{\"password\":\"" + SECRET, "application/json", "{\"otp\":[\"" + SECRET));
        String empty = multipart("application/octet-stream", "", "image/png", "\r\n", "", "x");
        assertEquals(empty, redact(policy, empty));
        assertEquals(0, policy.counts().unsearchedBodies());
        String images = multipart("image/png", "\u0089PNG\r\n", "image/png", "\u0089PNG", "text/xml", "<a/>");
        assertEquals(images, redact(policy, images));
        assertEquals(images, redact(policy, images));
        assertEquals(2, policy.counts().unsearchedBodies());
    }

    /** A length of 34 is a quote's byte. */
    @Test
    void readsTheMessagesOfGrpcAndConnect() {
        String message = "\0\0\0\0\"{\"otp\":\"" + SECRET + "\"}";
        String last = "\2\0\0\0\2{}";
        for (String type : new String[] {
            "application/grpc+json", "application/grpc-web+json", "application/connect+json; charset=utf-8"
        }) {
            token(post(type, message));
            token(post(type, message + "\0\0\0\0\0" + message + last));
        }
        assertEquals(0, policy.counts().unsearchedBodies());
        String compressed = "\1\0\0\0\3abc";
        token(post("application/grpc+json", compressed + message + compressed));
        token(post("application/grpc+json", "{\"token\":\"" + SECRET + "\"}"));
        assertEquals(2, policy.counts().unsearchedBodies());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.ISO_8859_1);
    }

    /** Returns text as clients put it into a value: as forms have it, otherwise, and in part, as browsers do. */
    private static String[] spellings(String text) {
        String upper = encoded(text);
        return new String[] {
            upper,
            upper.replace("+", "%20"),
            Pattern.compile("%[0-9A-F]{2}").matcher(upper).replaceAll(hex -> hex.group()
                    .toLowerCase(Locale.ROOT)),
            text.replace("+", "%2B")
                    .replace("&", "%26")
                    .replace("#", "%23")
                    .replace("\"", "%22")
                    .replace(" ", "+")
        };
    }

    @Test
    void looksIntoJsonThatIsTheValueOfAParameter() {
        String form = "application/x-www-form-urlencoded";
        for (String json : new String[] {
            "{\"token\":\"" + SECRET + "\"}",
            "{\"a\": [1, {\"b\": \"c&d#\"}], \"Password\" : \"" + SECRET + "\", \"d\": null}",
            "[{\"a\":\"x\\\"\"},{\"p\\u0061ssword\":\"" + SECRET + "\"}]",
            "[\"a\",[ {\"token\":[ \"" + SECRET + "\" , null]}]]",
            " {\"token\":{\"a\":\"" + SECRET + "\",\"b\":true}}",
            "\u00EF\u00BB\u00BF{} {\"a\":1} {\"token\":\"" + SECRET + "\"}"
        }) {
            for (String value : spellings(json)) {
                token(post(form, "payload=" + value));
                token(post(form, "a=b;payload=" + value + "&x=y"));
                token(multipart("", "payload=" + value));
                token(get("/?filter=" + value + "&x=y"));
                token(get("/?" + value));
                token(get("/", "Referer: https://a/?filter=" + value + "#f"));
                token(get("/?next=" + encoded("/cb?filter=" + value + "&x=y") + "&z=1"));
            }
            token(post(form, "payload=" + json.replace("&", "%26")));
        }
        for (String value : spellings("{ \"token\" : \"" + SECRET)) {
            token(post(form, "payload=" + value));
            token(get("/?filter=" + value + "&x=y"));
        }
        token(post(form, "payload=%7B%7D%0A%7B%22token%22%3A%22" + SECRET));
        // A secret whose string has ended, with an encoded character behind it.
        token(post(form, "payload=" + encoded("{\"m\":\"{\\\"password\\\":[\\\"" + SECRET + "\\\"\"}")));
        token(get("/?next=" + encoded("/cb?f={\"password\":[\"" + SECRET + "\"&x=1")));
        token(get("/?next=" + encoded("/cb?f=" + encoded("{\"password\":[\"" + SECRET + "\"") + "&x=1")));
        assertEquals(policy.counts().total(), policy.counts().of(RuleKind.JSON));
        assertEquals(0, policy.counts().unsearchedBodies());
        token(post(form, "password=" + encoded("{\"a\":\"" + SECRET)), encoded("{\"a\":\"" + SECRET));
    }

    /** Browsers leave a plus in a query as it is, and forms have it for a blank: it ends no secret in a string. */
    @Test
    void takesAPlusInAStringOfJsonForPartOfTheSecret() {
        for (String json : new String[] {
            "{%22u%22:%22/cb?token=SE+%22}", "{\"u\":\"/cb?token=SE+\"}", "[%22/cb#access_token=SE+%22]"
        }) {
            String secret = json.replace("SE+", "SE+" + SECRET);
            token(get("/?f=" + secret.replace("#", "?")), "SE+" + SECRET);
            token(post("application/x-www-form-urlencoded", "a=" + secret), "SE+" + SECRET);
        }
        token(get("/?f=[%22https://u:p+" + SECRET + "@h/%22]"), "p+" + SECRET);
        token(get("/?f={%22u%22:%22http://bob+ci:" + SECRET + "@host/%22}"));
        token(get("/?f={%22t%22:%2212%3A30%22,%22u%22:%22http://bob+ci:" + SECRET + "@host/%22}"));
        token(post("text/plain", "x=[\"https://u:p+" + SECRET + "@h/\"]"), "p+" + SECRET);
        token(post(
                "application/x-www-form-urlencoded",
                "a=%7B%22c%22%3A%22Server%3Ddb%3B+Password%3D" + SECRET + "%22%7D"));
    }

    /** Words in a string of JSON, with a plus for each blank, end an address, and what only looks like one is kept. */
    @Test
    void endsAnAddressAtAPlusThatMayBeABlank() {
        String words = "/?a=1 then Server=db;Password=" + SECRET + "&ef";
        String form = "application/x-www-form-urlencoded";
        token(post(form, "a=" + encoded("{\"s\":\"see http://x" + words + "\"}")), SECRET + encoded("&ef"));
        String kept =
                post(form, "a=" + encoded("{\"s\":\"see http://ci.example.com for build: mail ops@example.com\"}"));
        assertEquals(kept, redact(policy, kept));
    }

    /** A line's end is of a secret that only began in a string of JSON, and ends JSON that was cut short. */
    @Test
    void readsOnBehindTheEndOfALineInAStringOfJson() {
        token(post("text/plain", "x=[\"a;password=p4rt\n" + SECRET), "p4rt\n" + SECRET);
        token(post("text/plain", "x=[\"http://h/?a=b\npassword=" + SECRET));
        for (String inner :
                new String[] {"[11111111\n,SE]", "[\\\"p4rt\\\"\n,\\\"SE\\\"]", "{\\\"k\\\":1\n,\\\"j\\\":\\\"SE\\\"}"
                }) {
            String out = redact(
                    policy, post("text/plain", "x={\"a\":\"{\\\"password\\\":" + inner.replace("SE", SECRET) + "}\"}"));
            assertFalse(out.contains(SECRET), out);
        }
        String two = redact(policy, post("text/plain", "x=[\"http://h/?token=abc12345\npassword=" + SECRET));
        assertFalse(two.contains(SECRET) || two.contains("abc12345"), two);
        two = redact(policy, post("text/plain", "x={\"a\":\"{\\\"password\\\":abc12345\npassword=" + SECRET));
        assertFalse(two.contains(SECRET) || two.contains("abc12345"), two);
    }

    @Test
    void takesWhatStandsBehindAQuoteInABareValueForSecret() {
        for (String json : new String[] {
            "{\"token\":abc\"SE\"}",
            "{\"token\":abc\",\"password\":\"SE\"}",
            "{\"token\":abc\"de f\",\"password\":\"SE\"}",
            "{\"otp\":1\"token\":\"SE\"}",
            "{\"otp\":[abc\"SE\"]}"
        }) {
            String body = json.replace("SE", SECRET);
            assertFalse(redact(policy, post("application/json", body)).contains(SECRET), json);
            assertFalse(redact(policy, get("/?f=" + encoded(body))).contains(SECRET), json);
        }
        for (String line : new String[] {"abc\"\npassword=p4rt\"x y SE", "abc\"d\"\npassword=p4rt SE"}) {
            String text = "x={\"token\":" + line.replace("SE", SECRET);
            assertFalse(redact(policy, post("text/plain", text)).contains(SECRET), line);
        }
        String kept = ",\"a\":\"b\"}";
        assertTrue(redact(policy, post("application/json", "{\"otp\":1\"2\"" + kept))
                .endsWith(kept));
    }

    /** Where such a secret would end, nobody knows; and a part of multipart ends at its delimiter nevertheless. */
    @Test
    void takesAllForSecretBehindALineThatCutsASecretWithinAStringOfJson() {
        String[] cuts = {"", "[1", "[{", "[\\\"p4rt", "[\\\"p4rt\\\"", "{\\\"k\\\":1", "{\\\"k\\\":\\\"p4rt"};
        String[] lines = {"y={\"token\":\"" + SECRET + "\"}", "]token=" + SECRET, "\"z;" + SECRET};
        String end = "\r\n--B--\r\n";
        for (String cut : cuts) {
            String first = "x={\"a\":\"{\\\"password\\\":" + cut;
            for (String line : lines) {
                String out = redact(policy, post("text/plain", first + "\n" + line + "&b=c"));
                assertFalse(out.contains(SECRET) || out.contains("p4rt"), out);
                assertTrue(out.endsWith("&b=c"), out);
            }
            String out = redact(policy, post("multipart/form-data; boundary=B", "--B\r\n\r\n" + first + end));
            assertTrue(out.endsWith(end) && !out.contains("p4rt"), out);
        }
    }

    /** An image in Base64 is no name, but a part of a long name may be met. */
    @Test
    void findsAPartOfALongNameInAStringOfJson() {
        String many = "x".repeat(300);
        token(post("application/json", "{\"u\":\"http://h/?password[" + many + "]=" + SECRET + "\"}"));
        token(post("application/json", "{\"u\":\"data:image/png;base64," + many + many + "&token=" + SECRET + "\"}"));
    }

    @Test
    void givesTheSameTokenToWhatStandsInJsonThatIsEncoded() {
        String json = "{\"token\":\"ab\\/c d+\\u002d\u00c3\u00a9\\\"\",\"otp\":\"" + SECRET + "\"}";
        String body = redact(policy, post("application/json", json));
        String replaced = body.substring(body.indexOf('{'));
        assertNotEquals(json, replaced);
        for (String value : spellings(json)) {
            String form = redact(policy, post("application/x-www-form-urlencoded", "payload=" + value));
            assertEquals(
                    replaced,
                    URLDecoder.decode(form.substring(form.indexOf("payload=") + 8), StandardCharsets.ISO_8859_1));
        }
        assertEquals(
                token(get("/", "X-Api-Key: " + SECRET)),
                token(get("/?filter=" + encoded("{\"token\":\"" + SECRET + "\"}"))));
    }

    @Test
    void keepsNumbersInJsonThatIsEncodedNumbers() {
        String json = "{\"otp\": 987654, \"cvc\": -12.5, \"cvv\": true, \"passcode\": [12, null ], \"n\": 9}";
        String expected = "\\{\"otp\": [1-8]\\d{5}, \"cvc\": -1\\d\\.\\d, \"cvv\": true, "
                + "\"passcode\": \\[1\\d, null ], \"n\": 9}";
        for (String value : spellings(json)) {
            String out = redact(policy, get("/?filter=" + value));
            String decoded = URLDecoder.decode(
                    out.substring(out.indexOf('=') + 1, out.indexOf(" HTTP")), StandardCharsets.ISO_8859_1);
            assertTrue(decoded.matches(expected), decoded);
            out = redact(policy, get("/?next=" + encoded("/cb?f=" + value)));
            decoded = URLDecoder.decode(
                    out.substring(out.indexOf("%3D") + 3, out.indexOf(" HTTP")), StandardCharsets.ISO_8859_1);
            decoded = URLDecoder.decode(decoded, StandardCharsets.ISO_8859_1);
            assertTrue(decoded.matches(expected), decoded);
        }
        assertEquals(24, policy.counts().of(RuleKind.JSON));
    }

    @Test
    void looksIntoAddressesInStringsOfJson() {
        for (String address : new String[] {
            "https://a/cb?token=",
            "/cb?x=1&token=",
            "https://a/cb#access_token=",
            "https:\\/\\/a\\/cb?x=1\\u0026token\\u003d",
            "https://a/cb?x=1;sig=",
            "https://a/cb?x=1&amp;token=",
            "/login?next=%2Fcb%3Fx%3D1%26token%3D",
            "client_secret=",
            "forgot it? Password=",
            "what? See <https://a?token="
        }) {
            for (String end : new String[] {"", "&x=1", "\\u0026x=1", "#f", " and more", "\\n", "\\\">link", "<"}) {
                String json = "{\"url\":\"" + address + SECRET + end + "\",\"x\":\"y\"}";
                token(post("application/json", json));
                String value = encoded(json).replace("+", "%20");
                token(post("application/x-www-form-urlencoded", "payload=" + value));
                token(get("/?filter=" + value + "&x=y"));
            }
        }
        assertEquals(policy.counts().total(), policy.counts().of(RuleKind.QUERY));
        token(post("application/json", "[\"/a?filter=%7B%22token%22%3A%22" + SECRET + "%22%7D&x=1\"]"));
        token(post("application/json", "[\"https%3A%2F%2Fu%3A" + SECRET + "%40h\"]"));
        assertEquals(1, policy.counts().of(RuleKind.JSON));
        assertEquals(1, policy.counts().of(RuleKind.ADDRESS));
    }

    @Test
    void takesAllBehindASemicolonForThePasswordOfAConnectionString() {
        for (String address : new String[] {"Server=db;Password=", "Server=a b; Password=", "what? x;password="}) {
            for (String end : new String[] {"", " S2", "&ss", "#ss", "<ss>", "\\\"ss", "\\t", ";Timeout=5"}) {
                String json = "{\"a\":\"" + address + SECRET + end + "\",\"x\":\"y\"}";
                token(post("application/json", json), SECRET + end);
                token(get("/?f=" + encoded(json) + "&x=y"), encoded(SECRET + end));
            }
        }
    }

    @Test
    void looksIntoThreeDocumentsOfJsonEachInAStringOfTheOneBefore() {
        String inner = "{\\\"a\\\":[{\\\"token\\\": \\\"" + SECRET + "\\\"}]}";
        String address = "[\\\"https://a?token=" + SECRET + "\\\"]";
        for (String message : new String[] {inner, address}) {
            String json = "{\"Type\":\"x\",\"Message\":\"" + message + "\",\"x\":\"&\"}";
            token(post("application/json", json));
            for (String value : spellings(json)) {
                token(post("application/x-www-form-urlencoded", "payload=" + value));
                token(get("/?filter=" + value));
            }
        }
        String twice = "[\"[\\\"" + inner.replace("\\", "\\\\\\") + "\\\"]\"]";
        token(post("application/json", twice));
        token(get("/?filter=" + encoded(twice)));
        String thrice = "[\"" + twice.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]";
        for (String stream : new String[] {post("application/json", thrice), get("/?filter=" + encoded(thrice))}) {
            assertEquals(stream, redact(policy, stream));
        }
    }

    @Test
    void looksIntoAddressesInFormsAndTextThatAreNotEncoded() {
        token(post("application/x-www-form-urlencoded", "next=https://a/cb?token=" + SECRET + "&x=y"));
        token(post("text/plain", "see https://a/cb?token=" + SECRET));
        for (String end : new String[] {" and more\nof it", "\r\nof it & more", "\t#x"}) {
            token(post("text/plain", "see https://a/cb?token=" + SECRET + end));
            token(post("text/plain", "see https://a/cb#token=" + SECRET + end));
        }
        token(post("text/plain", "see https://a/cb?x=y\nsecret=" + SECRET));
        assertFalse(redact(policy, post("text/plain", "/cb?token=x\nsecret=" + SECRET))
                .contains(SECRET));
    }

    @Test
    void keepsWhatIsNoSecretInJsonThatIsEncodedAndWhatOnlyBeginsLikeIt() {
        for (String value : new String[] {
            encoded("{\"name\": \"token\", \"tokens\": [1, 2], \"a\": \"is it? x=y & z #1 100% %zz\", \"b\":{}}"),
            encoded("[\"/cb?x=1&page=2#token\", \"{}\", \"[1,\", \"{\\\"a\\\":1\"]"),
            "%7B%22a%22%3A%2",
            "%7B%22token%22",
            "%7B%zz%22token%22",
            "{%22a",
            "[%5",
            "%5B%5D%5D",
            "{token}",
            "{",
            "[c]"
        }) {
            for (String stream : new String[] {
                get("/?filter=" + value + "&x=y"), post("application/x-www-form-urlencoded", "a=b&payload=" + value)
            }) {
                assertEquals(stream, redact(policy, stream));
            }
        }
        assertEquals(3, policy.counts().unsearchedBodies());
        String cut = SECRET + "%2";
        token(get("/?filter=%7B%22token%22%3A%22" + cut + "&x=y"), cut);
        String unclosed = "p4rt\"" + SECRET;
        token(post("text/plain", "x=[\"a\npassword=" + unclosed), unclosed);
        token(post("text/plain", "x={\"otp\":true\npassword=" + unclosed), unclosed);
        for (String begin :
                new String[] {"[a ", "[1 ", "[[1 ", "[{x ", "[true", "{\"a\" ", "{\"a\":1 ", "[{\"a\":{}} "}) {
            token(post("text/plain", "x=" + begin + "\"b;password=" + unclosed), unclosed);
        }
    }

    @Test
    void countsFormsOfWhichAFieldOnlyBeginsAsJsonDoes() {
        int count = 0;
        for (String value : new String[] {
            "{user(id:1){name}}", "[c]&x=y", "{\"a\":\"b&c\"}", "{\"token\":[1,&", "{\"a\":1 \"b\"}", "%5B%7By&z"
        }) {
            String form = post("application/x-www-form-urlencoded", "a=b&payload=" + value);
            redact(policy, form);
            assertEquals(++count, policy.counts().unsearchedBodies(), form);
        }
        redact(policy, multipart("", "payload={y}", "", "payload={y}"));
        assertEquals(++count, policy.counts().unsearchedBodies());
    }

    @Test
    void countsWhatIsCalledTextAndIsNone() {
        String form = "application/x-www-form-urlencoded";
        String json = "{\"password\":\"" + SECRET + "\"}";
        int count = 0;
        for (String charset : new String[] {"UTF-16", "UTF-16BE", "UTF-16LE", "UTF-32", "UTF-32BE", "UTF-32LE"}) {
            String body = TestingStream.latin(json.getBytes(Charset.forName(charset)));
            for (String stream : new String[] {
                post("application/json", body),
                post("application/vnd.x+json; charset=" + charset, body),
                post(form, body),
                post(null, body),
                post("application/octet-stream", body),
                multipart("application/json", body),
                multipart("", body)
            }) {
                assertEquals(stream, redact(policy, stream));
                assertEquals(++count, policy.counts().unsearchedBodies(), stream);
            }
        }
        for (String body :
                new String[] {"\u001F\u008B\b\0\0", "\n\5hello", "\u0089PNG\r\n\u001A\n", "PK\3\4", "(\u00B5/\u00FD\4\0"
                }) {
            String stream = post(form, body);
            assertEquals(stream, redact(policy, stream));
            assertEquals(++count, policy.counts().unsearchedBodies(), stream);
        }
        token(post(form, "\1&password=" + SECRET));
    }

    @Test
    void tellsJsonFromWhatBeginsLikeIt() {
        String json = "{\"password\":\"" + SECRET + "\"}";
        for (String body : new String[] {
            "[null, " + json,
            "[-1.5e+3 , true,[" + json,
            "[true\r\n," + json,
            "[ [" + json,
            "{ }" + json,
            "[]" + json,
            "[1]\n" + json,
            "[[1]," + json,
            "[[]," + json
        }) {
            token(post("application/octet-stream", body));
        }
        // Packets of Engine.IO.
        for (String body : new String[] {"40", "42[\"login\",", "38:42[\"login\",", "2\u001E40{}\u001E42["}) {
            token(post("text/plain", body + json));
        }
        for (String body : new String[] {
            "[default]\naws_secret_access_key=",
            "[2026-11-27 10:00:00]\ntoken=",
            "[2026-11-27]\ntoken=",
            "[10.0.0.1]\ntoken=",
            "[n\ntoken=",
            "[token=",
            "[12345]\ntoken=",
            "[12345] token=",
            "[12 token=",
            "[0].password=",
            "[0]=x&token=",
            "[]=x&token=",
            "40&token=",
            "1[password]=",
            "12:00 token=",
            "1:http://h/?token=",
            "2{x token=",
            "{{x}}\ntoken=",
            "\33[1;31mfailed\33[0m\ntoken=",
            "\fpage 1\f\ntoken="
        }) {
            token(post("text/plain", body + SECRET));
            token(post(null, body + SECRET));
        }
        assertEquals(0, policy.counts().unsearchedBodies());
        token(post("text/plain", "[token = " + SECRET), " " + SECRET);
        String[] others = {
            "{ login(password:\"x\") {id} }", "[default]\ntoken=x", "[nullable]", "\0\0\0\0[\"x\"]", "[12.3.4]", "[1"
        };
        for (String body : others) {
            String stream = post("application/graphql", body);
            assertEquals(stream, redact(policy, stream));
        }
        // Of the last one too little is there to tell.
        assertEquals(others.length - 1, policy.counts().unsearchedBodies());
    }

    @Test
    void readsPartsWhoseHeadersContinueOnOtherLines() {
        String multipart = "--B\r\nContent-Disposition: form-data;\r\n name=\"password\"\r\n\r\n" + SECRET
                + "\r\n--B\r\nContent-Type:\r\n\tapplication/json\r\nContent-Disposition: form-data;\r\n\tname=x\r\n\r\n"
                + "{\"token\":\"" + SECRET + "\"}\r\n--B--\r\n";
        token(post("multipart/form-data; boundary=B", multipart));
    }

    @Test
    void readsPartsWhoseLinesEndWithoutCarriageReturn() {
        String multipart = "--B\nContent-Disposition: form-data; name=user\n\nu\n"
                + "--B\nContent-Disposition: form-data; name=\"password\"\n\n" + SECRET + "\n"
                + "--B\nContent-Disposition: form-data; name=\"secret\"\n\n--B\n"
                + "Content-Disposition: form-data; name=meta\n\nx\n--B--\n";
        token(post("multipart/form-data; boundary=B", multipart));
        assertEquals(1, policy.counts().of(RuleKind.FORM));
    }

    @Test
    void replacesWhatSpansChunksAndTrailers() {
        String head = "POST / HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
        String stream = head + "5\r\n{\"tok\r\n4;x=y\r\nen\":\r\n4\r\n\"s3c\r\n3\r\nr3t\r\n2\r\n\"}\r\n"
                + "0\r\nX-Api-Key: " + SECRET + "\r\n\r\n" + get("/");
        String out = redact(policy, stream);
        assertTrue(
                out.matches(
                        "(?s).*\r\n\r\n5\r\n\\{\"tok\r\n4;x=y\r\nen\":\r\n4\r\n\"\\w{3}\r\n3\r\n\\w{3}\r\n2\r\n\"}\r\n"
                                + "0\r\nX-Api-Key: \\w{24}\r\n\r\nGET / .*"),
                out);
        assertFalse(out.contains("\"s3c") || out.contains("\nr3t") || out.contains(SECRET));
        assertEquals(1, policy.counts().of(RuleKind.JSON));
    }

    @Test
    void knowsTheFramingOfBodiesHoweverItIsWritten() {
        String end = "Content-Type: application/json\r\n\r\n5\r\n12345\r\n0\r\nX-Api-Key: " + SECRET + "\r\n\r\n";
        token("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n" + end);
        assertEquals(1, policy.counts().unsearchedBodies());
        token("POST / HTTP/1.1\r\nTransfer-Encoding: " + " ".repeat(300) + "chunked\r\n" + end);
    }

    @Test
    void readsBodiesByTheHeadersThatServersKnow() {
        String form = "application/x-www-form-urlencoded";
        String json = "{\"token\":\"" + SECRET + "\"}";
        for (String type : new String[] {"contentType", "Content_Type", "Content-Type-", "Con-tenttype"}) {
            token(post(form, "user=u&password=" + SECRET, type + ": application/json"));
        }
        token(post("application/json", json, "Content_Encoding: gzip"));
        token(post("application/json", json, "Transfer_Encoding: chunked"));
        token(post("image/png", json, "CONTENT-TYPE: application/json"));
        assertEquals(0, policy.counts().unsearchedBodies());
    }

    @Test
    void countsBodiesThatCannotBeSearched() {
        String stream = post("application/json", "{\"token\":\"" + SECRET + "\"}", "Content-Encoding: gzip");
        assertEquals(stream, redact(policy, stream));
        redact(policy, post("image/png", "bytes"));
        redact(policy, get("/"));
        assertEquals(2, policy.counts().unsearchedBodies());
        assertEquals(
                "1 compressed application/json, 1 image/png", policy.counts().unsearchedTypes());
        assertEquals(0, policy.counts().unsearchedConnections());
        token(post("application/json", "{\"token\":\"" + SECRET + "\"}", "Content-Encoding: identity"));
    }

    @Test
    void saysOfWhichTypesTheBodiesAreThatCannotBeSearched() {
        assertEquals("", policy.counts().unsearchedTypes());
        redact(policy, post("image/png; a=b", "bytes"));
        redact(policy, post("Image/PNG", "bytes"));
        redact(policy, post("multipart/form-data; boundary=B", "--B\r\n\r\n<a/>\r\n--B--\r\n"));
        redact(policy, post(null, "<a/>"));
        redact(policy, post(null, "bytes", "Content-Encoding: br"));
        redact(policy, post("x y/z", "bytes"));
        assertEquals(
                "2 image/png, 1 compressed without Content-Type, 1 multipart/form-data, "
                        + "1 with malformed Content-Type, 1 without Content-Type",
                policy.counts().unsearchedTypes());
        for (int i = 0; i < 300; i++) {
            redact(policy, post("a/" + i, "bytes"));
        }
        String types = policy.counts().unsearchedTypes();
        assertTrue(types.matches("2 image/png, 1 a/0, (1 a/\\d+, ){6}297 of other types"), types);
    }

    @Test
    void replacesValuesThatAreLongerThanItsMemory() {
        StringBuilder text = new StringBuilder();
        Random random = new Random(1);
        for (int i = 0; i < 300_000; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        String token = token(post("application/json", "{\"token\":\"" + text + "\"}"), text.toString());
        assertEquals(1, policy.counts().of(RuleKind.JSON));
        for (int i = 0; i + 20 < token.length(); i += 20) {
            assertFalse(token.startsWith(text.substring(i, i + 20), i));
        }
        assertEquals(token, token(get("/", "X-Api-Key: " + text), text.toString()));
    }

    @Test
    void keepsTheDelimiterBehindALongSecretPart() {
        keepsTheDelimiter("--delimiter\r\nContent-Disposition: form-data; name=token\r\n\r\n", "");
        assertEquals(86, policy.counts().of(RuleKind.FORM));
        keepsTheDelimiter("--delimiter\r\n\r\npassword=", "");
        assertEquals(172, policy.counts().of(RuleKind.FORM));
        keepsTheDelimiter("--delimiter\r\n\r\npassword=", "\n--del");
    }

    private void keepsTheDelimiter(String head, String last) {
        for (String end : new String[] {"\r\n--delimiter--\r\n", "\n--delimiter--\n"}) {
            for (int length = Secret.LONGEST - 40; length <= Secret.LONGEST + 2; length++) {
                String stream = post("multipart/form-data; boundary=delimiter", head + "s".repeat(length) + last + end);
                String out = redact(policy, stream);
                assertEquals(stream.length(), out.length());
                assertTrue(out.contains(head) && out.endsWith(end), () -> out.substring(out.length() - 60));
                assertFalse(out.contains("s".repeat(10)), end);
            }
        }
    }

    @Test
    void leavesOrdinaryRequestsAlone() {
        for (String stream : new String[] {
            get("/tokens/1?page=2&keyword=x;y", "Accept: */*", "X-Request-Id: 1", "Authority: a", "Cookies: a=b"),
            post("application/json", "{\"name\":\"token\",\"tokens\":[1,2],\"passwordHint\":\"none\"}"),
            post("application/x-www-form-urlencoded", "a=b&tokens=c&d"),
        }) {
            assertEquals(stream, redact(policy, stream));
        }
        assertEquals("nothing replaced", policy.counts().summary());
    }

    @Test
    void handsOnWhatIsNoSecretOnceTheFirstLineIsThere() {
        try (TestingStream stream = new TestingStream(policy, null, false)) {
            stream.feed("G");
            stream.feed("ET /?token=abc");
            assertEquals(0, stream.out.size());
            stream.feed("def HTTP/1.1\r\nAuthorization: Bearer x");
            assertEquals("GET /?token=abcdef HTTP/1.1\r\nAuthorization: ".length(), stream.out.size());
            stream.feed("yz\r\n\r\n");
            stream.end();
            assertEquals(stream.marksIn, stream.marksOut);
            assertEquals(2, stream.times.get("GET /?token=".length()), "a held byte keeps its time");
            assertEquals(2, stream.redactor.takeRedactions());
            assertEquals(0, stream.redactor.takeRedactions());
            assertTrue(stream.redacted());
        }
    }

    @Test
    void takesBytesBeyondAsciiInATargetForNoOtherProtocol() {
        try (TestingStream stream = new TestingStream(policy, null, false)) {
            stream.feed("GET /\u00e9?api");
            stream.feed("_key=" + SECRET + " HTTP/1.1\r\nX-Api-Key: " + SECRET + "\r\n\r\n");
            assertFalse(TestingStream.latin(stream.end()).contains(SECRET));
        }
        assertEquals(0, policy.counts().unsearchedConnections());
    }

    @Test
    void letsNoSecretThroughBehindMissingBytes() {
        for (String before : new String[] {
            "GET / HTTP/1.1\r\nCookie: a=",
            "GET / HTTP/1.1\r\nCoo",
            "GET / HT",
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"token\":\"abc",
            "POST / HTTP/1.1\r\nContent-Length: 100\r\nContent-Encoding: gzip\r\n\r\nabc"
        }) {
            try (TestingStream stream = new TestingStream(policy, null, false)) {
                stream.feed(before);
                stream.missing(0);
                stream.feed(SECRET + "\r\nX-Api-Key: " + SECRET + "\r\n\r\n");
                stream.feed(get("/plain"));
                String out = TestingStream.latin(stream.end());
                assertFalse(out.contains(SECRET), out);
                assertTrue(out.endsWith(get("/plain")), out);
            }
        }
        assertNotEquals(0, policy.counts().overwrittenBytes());
    }

    @Test
    void letsNoSecretThroughOfConnectionsThatWereOpenBefore() {
        try (TestingStream stream = new TestingStream(policy, null, true)) {
            stream.feed(SECRET + "; other=x\r\nX-Api-Key: " + SECRET + "\r\nAccept: text\r\n\r\n");
            stream.feed(get("/plain"));
            String out = TestingStream.latin(stream.end());
            assertFalse(out.contains(SECRET), out);
            assertTrue(out.endsWith("\r\nAccept: text\r\n\r\n" + get("/plain")), out);
            assertEquals(stream.marksIn, stream.marksOut);
        }
    }

    @Test
    void letsNoSecretThroughWhereRequestsAreInvalid() {
        for (String stream : new String[] {
            "GET / HTTP/1.1\r\nX-Api-Key: " + SECRET + "\r\nbad\1: x\r\nCookie: a=" + SECRET + "\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: x\r\nCookie: a=" + SECRET + "\r\n\r\nGET /?token=" + SECRET
                    + " HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{\"token\":\""
                    + SECRET + "\"}",
            "GET / HTTP/1.0\r\n\r\nCookie: a=" + SECRET + "\r\n\r\n",
            "Cookie: a=" + SECRET + "\r\n\r\n",
            "GET / HTTP/1.1\r\nAuthorization: Bearer " + SECRET,
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"token\":\"" + SECRET
        }) {
            String out = redact(policy, stream);
            assertEquals(stream.length(), out.length());
            assertFalse(out.contains(SECRET), out);
        }
    }

    @Test
    void keepsBinaryStreamsAndCountsThem() {
        byte[] bytes = new byte[1000];
        new Random(1).nextBytes(bytes);
        bytes[0] = 1;
        assertEquals(TestingStream.latin(bytes), TestingStream.latin(redact(policy, null, bytes)));
        String tls = "\26\3\1\0\5abcde";
        assertEquals(tls, redact(policy, tls));
        assertEquals(2, policy.counts().unsearchedConnections());
    }

    @Test
    void replacesTheRestOfASecretInTheReadThatTurnsOutToBeNoHttp() {
        RedactionPolicy policy = RedactionPolicy.defaults(TestingStream.KEY).unsearchable(Unsearchable.KEEP);
        try (TestingStream stream = new TestingStream(policy, null, false)) {
            stream.feed("GET / HTTP/1.1\r\nHost: x\r\nX-Api-Key: s3cr3tV4lue");
            stream.feed("9f8e7d6c\0zzz\r\n\r\n");
            String out = TestingStream.latin(stream.end());
            assertFalse(out.contains("s3cr3t") || out.contains("9f8e7d6c"), out);
        }
    }
}
