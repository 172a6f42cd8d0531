package dev.lockstep.tweets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TweetTextTest {
    @Test
    void hasOneTo280CharactersOfEveryLength() {
        int shortest = Integer.MAX_VALUE;
        int longest = 0;
        for (int seed = 0; seed < 20_000; seed++) {
            String text = TweetText.of(seed, 100);
            int characters = text.codePointCount(0, text.length());
            shortest = Math.min(shortest, characters);
            longest = Math.max(longest, characters);
        }
        assertEquals(1, shortest);
        assertTrue(longest > 270 && longest <= TweetText.MAX_CHARACTERS, "longest: " + longest);
    }

    /** Sealed: another text would make other captures. */
    @Test
    void isTheSameOnEveryJvm() {
        int hash = 0;
        for (int seed = 0; seed < 1_000; seed++) {
            hash = hash * 31 + TweetText.of(seed, 100).hashCode();
        }
        assertEquals(137_953_196, hash);
    }

    @Test
    void findsWhatIsMarked() {
        String text = "#java and @ada7, #java @grace99 @nobody # @";

        assertEquals(List.of("java"), TweetText.hashtags(text));
        assertEquals(List.of(Names.id(7)), TweetText.mentions(text, 50));
    }
}
