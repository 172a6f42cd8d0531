package dev.lockstep.app;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TimelineTest {
    @Test
    void hasAsManyPostsAsAskedForNewestFirst() {
        for (int n : new int[] {1, 2, 100, Timeline.MAX_POSTS}) {
            JsonObject timeline = timeline(3, n);
            assertEquals(PreloadedUsers.id(3).toString(), timeline.getString("user"));
            JsonArray posts = timeline.getJsonArray("posts");
            assertEquals(n, posts.size());
            long last = Long.MAX_VALUE;
            for (int i = 0; i < n; i++) {
                JsonObject post = posts.getJsonObject(i);
                assertTrue(post.getLong("createdMs") <= last);
                last = post.getLong("createdMs");
                assertFalse(post.getString("text").isEmpty());
                assertTrue(post.getLong("id") % 8 != 0, "muted");
            }
        }
    }

    @Test
    void shorterTimelineIsTheBeginningOfALongerOne() {
        JsonArray longer = timeline(8, 50).getJsonArray("posts");
        JsonArray shorter = timeline(8, 20).getJsonArray("posts");
        for (int i = 0; i < 20; i++) {
            assertEquals(shorter.getJsonObject(i), longer.getJsonObject(i));
        }
    }

    @Test
    void dependsOnTheReaderAlone() {
        assertArrayEquals(
                Timeline.of(PreloadedUsers.user(1), 100, 10_000), Timeline.of(PreloadedUsers.user(1), 100, 10_000));
        assertFalse(timeline(1, 10).getJsonArray("posts").equals(timeline(2, 10).getJsonArray("posts")));
    }

    /** Captured answers are compared with answers of later versions: this text may never change. */
    @Test
    void isSealed() {
        assertEquals(
                "{\"user\":\"00000000-0000-8000-8000-000000000001\",\"posts\":[{\"id\":5353073146187849,"
                        + "\"createdMs\":1506815850097,\"author\":{\"id\":\"00000000-0000-8000-8000-00000000141f\","
                        + "\"name\":\"Hedy McCarthy\"},\"text\":\"thread benchmark queue #escape coffee monday cluster"
                        + " monday.\",\"tags\":[\"escape\"],\"mentions\":[],\"likes\":849}]}",
                new String(Timeline.of(PreloadedUsers.user(1), 1, 10_000), StandardCharsets.UTF_8));
    }

    @Test
    void worksWithoutPreloadedUsers() {
        assertTrue(Timeline.of(PreloadedUsers.user(0), 10, 0).length > 100);
    }

    private static JsonObject timeline(int index, int n) {
        return new JsonObject(new String(Timeline.of(PreloadedUsers.user(index), n, 10_000), StandardCharsets.UTF_8));
    }
}
