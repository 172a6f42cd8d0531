package dev.lockstep.redaction;

/**
 * Finds the password in an address, as in {@code scheme://user:password@host}: what stands behind the user's colon, up
 * to the last {@code @} before the host ends. Runs per byte of where addresses may stand; used by the thread of its
 * connection.
 *
 * <p>Only the host's end tells a password from a port, so the bytes behind the colon are held up to there. Where the
 * address is percent-encoded, what is encoded deeper than its colon and slashes ends nothing: it is of the password.
 */
final class AddressPassword {
    /**
     * End an address behind its port, where it stands in a list or within quotes. A password as {@code 12,x} is kept.
     */
    private static final String PORT_ENDS = ",;&')]}|+";

    /** How many characters {@code ://} has. */
    private static final int SCHEME_END = 3;

    private static final int SEEK = 0;
    private static final int COLON = 1;
    private static final int SLASH = 2;
    private static final int USER = 3;
    private static final int PASSWORD = 4;
    /** So many bytes without an {@code @} are no password, and behind one no host: no more is held for a guess. */
    private static final int LONGEST = 4 << 10;

    private final boolean isSearched;
    private final RuleKind kind;
    private final Spelling spelling;
    private final Secret secret;
    private int state;
    /** How often the address is encoded. */
    private int depth;
    /** The same of the colon of its scheme: some encode the slashes alone. */
    private int colonDepth;
    /** How much of a {@code ://} that is encoded deeper was read in the user's name. */
    private int nested;
    /** How many bytes were read from the last {@code @} on; 0 where there is none yet. */
    private int behind;
    /** Whether only digits stand behind the colon. */
    private boolean digitsOnly;
    /** Whether a colon was read last, so that a slash begins another address, as in a list. */
    private boolean colon;

    private int length;

    AddressPassword(RuleSet rules, RuleKind kind, Spelling spelling, Secret secret) {
        isSearched = rules.addressPasswords;
        this.kind = kind;
        this.spelling = spelling;
        this.secret = secret;
    }

    /** Begins where no address is open. */
    void begin() {
        state = SEEK;
    }

    /** Whether the next byte matters whatever it is; else only a colon does. */
    boolean isReading() {
        return state != SEEK;
    }

    /** Whether the open secret is what may be a password. */
    boolean isOpen() {
        return state == PASSWORD;
    }

    /**
     * Whether a separator of parameters ends the address, because it stands behind a port.
     *
     * @param separatorDepth how often it is encoded
     * @param width of how many bytes, of which the last is not read yet
     */
    boolean isPort(int separatorDepth, int width) {
        return state == PASSWORD && digitsOnly && length >= width && separatorDepth <= depth;
    }

    /**
     * Reads a byte; no other secret may be open.
     *
     * @param c the character that it ends, 0 to 255, or -1 in the middle of one
     * @param encoded how often the character is percent-encoded
     * @param width how many bytes it takes
     */
    void read(long offset, byte b, int c, int encoded, int width) {
        if (state == SEEK) {
            if (c == ':' && isSearched) {
                state = COLON;
                depth = encoded;
                colonDepth = encoded;
            }
            return;
        }
        if (state == PASSWORD) {
            secret.add(offset, b);
            length++;
            behind += behind == 0 ? 0 : 1;
        }
        if (c >= 0) {
            character(c, encoded, width);
        }
        if (state == PASSWORD && (behind == 0 ? length : behind) >= LONGEST) {
            end();
        }
    }

    private void character(int c, int encoded, int width) {
        switch (state) {
            case COLON:
            case SLASH:
                if (c == '/') {
                    depth = Math.max(depth, encoded);
                    nested = 0;
                    state++;
                } else {
                    depth = encoded;
                    colonDepth = encoded;
                    state = c == ':' ? COLON : SEEK;
                }
                break;
            case USER:
                if (encoded > depth) {
                    // Another address, as behind one that has neither port nor path.
                    nested = c == ':' ? 1 : c == '/' && nested > 0 ? nested + 1 : 0;
                    if (nested == SCHEME_END) {
                        depth = encoded;
                        colonDepth = encoded;
                        nested = 0;
                    }
                    break;
                }
                nested = 0;
                if (c == ':') {
                    secret.open(kind, spelling);
                    behind = 0;
                    length = 0;
                    digitsOnly = true;
                    colon = true;
                    state = PASSWORD;
                } else if (c == '[' || isEnd(c) || isBlank(c, encoded)) {
                    // The colons of an IPv6 address are within brackets.
                    state = SEEK;
                }
                break;
            default:
                if (encoded <= depth && (isEnd(c) || isBehindPort(c, width) || isBlank(c, encoded))) {
                    end();
                    if (c == '/' && colon) {
                        depth = encoded;
                        colonDepth = Math.min(colonDepth, encoded);
                        state = SLASH;
                    }
                } else if (encoded <= depth && c == '@') {
                    behind = width;
                }
                digitsOnly &= c >= '0' && c <= '9';
                colon = c == ':';
                break;
        }
    }

    /** Whether what was read is a port, behind which this ends the address, as in a list. */
    private boolean isBehindPort(int c, int width) {
        return digitsOnly && length > width && PORT_ENDS.indexOf(c) >= 0;
    }

    /** Whether it is a plus beside an address that is encoded, where one of its own would be, too. */
    private boolean isBlank(int c, int encoded) {
        return c == '+' && encoded < colonDepth;
    }

    private static boolean isEnd(int c) {
        return c == '/' || c == '?' || c == '#' || c <= ' ' || c == '"' || c == '<' || c == '>';
    }

    /** Ends what the address stands in: what is behind the colon is a password if an {@code @} was read. */
    void end() {
        if (state == PASSWORD) {
            if (behind == 0) {
                secret.abandon();
            } else {
                secret.trimEnd(behind);
                secret.close();
            }
        }
        state = SEEK;
    }
}
