package dev.lockstep.tweets;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes and reads the text of tweets. The text is like a real one to what works on it: words of which few are frequent,
 * sentences, hashtags, mentions, links, and now and then characters beyond ASCII and beyond the 16-bit plane. Only
 * integers decide, so that every JVM makes the same text. Stateless; any thread.
 */
final class TweetText {
    /** In characters, that is code points. */
    static final int MAX_CHARACTERS = 280;

    /** The most frequent ones come first. */
    private static final String[] WORDS =
            ("the to a and of in is it you for that this on with my be so are just not at have was but "
                            + "we me all what they if your do out one up when like get can from about no now time more will as how "
                            + "good new day love people today know go see back who an our by us make think really still need want "
                            + "much right work great going than never down here night way then over even some first week best some "
                            + "why after off life morning year last too look team game watch everyone happy thanks home long coffee "
                            + "city train rain music café world read book school friends story photo weekend light tomorrow street "
                            + "question answer release deploy service latency compiler garbage collector benchmark heap thread queue "
                            + "garden bicycle kitchen window river mountain winter summer naïve piñata señor déjà façade São Zürich "
                            + "concert museum library breakfast dinner holiday airport platform ticket weather forecast election "
                            + "science history language mathematics orchestra championship neighbourhood extraordinary")
                    .split(" ");

    private static final String[] HASHTAGS =
            ("java graal scala jvm fosdem performance devops monday coffee music football weather travel books photo "
                            + "science")
                    .split(" ");

    /** Beyond the 16-bit plane: two chars each in Java, four bytes each in UTF-8. */
    private static final String[] EMOJI = {"😀", "😂", "🎉", "🚀", "🔥", "👍", "🌧", "☕"};

    private TweetText() {}

    static String hashtag(int number) {
        return HASHTAGS[Math.floorMod(number, HASHTAGS.length)];
    }

    /** Makes the text that belongs to the seed, with mentions among so many users; short ones are more frequent. */
    static String of(long seed, int users) {
        SplittableRandom random = new SplittableRandom(seed);
        int length = 1 + random.nextInt(1 + random.nextInt(MAX_CHARACTERS));
        StringBuilder text = new StringBuilder(length + 16);
        boolean sentenceBegins = true;
        while (text.length() < length) {
            int kind = random.nextInt(100);
            if (kind < 6) {
                text.append('#').append(hashtag(random.nextInt(HASHTAGS.length)));
            } else if (kind < 11) {
                text.append('@').append(Names.screenName(random.nextInt(users)));
            } else if (kind < 13) {
                text.append("https://t.example/").append(Integer.toString(random.nextInt(1 << 30), 36));
            } else if (kind < 16) {
                text.append(EMOJI[random.nextInt(EMOJI.length)]);
            } else {
                // Each range is twice the one before: about the few frequent and many rare words of a language.
                String word = WORDS[random.nextInt(Math.min(WORDS.length, 8 << random.nextInt(6)))];
                if (sentenceBegins) {
                    text.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
                } else {
                    text.append(word);
                }
            }
            sentenceBegins = random.nextInt(9) == 0;
            text.append(sentenceBegins ? ". " : random.nextInt(14) == 0 ? ", " : " ");
        }
        int end = text.offsetByCodePoints(0, Math.min(length, text.codePointCount(0, text.length())));
        String cut = text.substring(0, end).strip();
        return cut.isEmpty() ? "." : cut;
    }

    /** Returns what stands behind each '#', without repetitions, in the order of the text. */
    static List<String> hashtags(String text) {
        return marked(text, '#');
    }

    /** Returns the ids of the users whose screen names stand behind an '@', without repetitions. */
    static List<Long> mentions(String text, int users) {
        List<Long> mentions = new ArrayList<>();
        for (String name : marked(text, '@')) {
            int index = Names.indexOf(name);
            if (index >= 0 && index < users) {
                mentions.add(Names.id(index));
            }
        }
        return mentions;
    }

    private static List<String> marked(String text, char mark) {
        List<String> found = new ArrayList<>();
        for (int at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
            int end = at + 1;
            while (end < text.length() && isOfName(text.charAt(end))) {
                end++;
            }
            String name = text.substring(at + 1, end);
            if (!name.isEmpty() && !found.contains(name)) {
                found.add(name);
            }
        }
        return found;
    }

    private static boolean isOfName(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }
}
