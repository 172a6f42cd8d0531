package dev.lockstep.app;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.UUID;

/**
 * Builds a user's timeline with the garbage that a timeline service makes: merges the posts of those whom the user
 * follows by time, filters them, joins them with their authors and writes JSON. Each post costs about 20 short-lived
 * objects. Everything derives from the user's id, so every process gives the same answer. Stateless; any thread.
 */
final class Timeline {
    static final int MAX_POSTS = 1_000;
    static final int DEFAULT_POSTS = 100;

    private static final int FOLLOWED = 20;
    /** 2017-10-01T00:00:00Z: any fixed instant will do. */
    private static final long NEWEST_MS = 1_506_816_000_000L;
    /** So many names of authors exist where no users are preloaded. */
    private static final int AUTHORS_WITHOUT_USERS = 1_000;

    private static final String[] WORDS =
            ("latency throughput garbage inlining escape analysis compiler release coffee deploy cluster "
                            + "timeline benchmark pause heap thread socket buffer queue graph cache service request monday "
                            + "rollback review profile tuning kernel vector loop stub")
                    .split(" ");

    private Timeline() {}

    /** The JSON of the newest posts. */
    static byte[] of(User reader, int posts, int preloadedUsers) {
        List<Post> newest = newestPosts(reader.id, posts, preloadedUsers > 0 ? preloadedUsers : AUTHORS_WITHOUT_USERS);
        return Json.object(64 + 320 * posts, json -> {
            json.writeStringField("user", reader.id.toString());
            json.writeArrayFieldStart("posts");
            for (Post post : newest) {
                post.writeTo(json);
            }
            json.writeEndArray();
        });
    }

    private static List<Post> newestPosts(UUID reader, int posts, int authors) {
        long seed = PreloadedUsers.mix(
                reader.getMostSignificantBits() ^ PreloadedUsers.mix(reader.getLeastSignificantBits()));
        // The id decides between posts of the same millisecond, so that they keep their places in every run.
        PriorityQueue<Source> sources = new PriorityQueue<>(
                FOLLOWED,
                Comparator.comparingLong((Source source) -> -source.next.createdMs)
                        .thenComparingLong(source -> source.next.id));
        for (int i = 0; i < FOLLOWED; i++) {
            int author = (int) Long.remainderUnsigned(PreloadedUsers.mix(seed + i), authors);
            sources.add(new Source(PreloadedUsers.user(author), seed + i));
        }
        List<Post> timeline = new ArrayList<>();
        while (timeline.size() < posts) {
            Source source = sources.remove();
            Post post = source.next;
            source.advance();
            sources.add(source);
            if (!post.isMuted()) {
                timeline.add(post);
            }
        }
        return timeline;
    }

    /** The endless posts of one author, newest first. */
    private static final class Source {
        private final User author;
        private final long seed;
        private int index;
        private Post next;

        Source(User author, long seed) {
            this.author = author;
            this.seed = seed;
            long random = PreloadedUsers.mix(seed);
            this.next = new Post(author, random, NEWEST_MS - (random & 0xf_ffff));
        }

        void advance() {
            index++;
            long random = PreloadedUsers.mix(seed + 31L * index);
            next = new Post(author, random, next.createdMs - 1 - (random & 0xf_ffff));
        }
    }

    private static final class Post {
        private final long id;
        private final User author;
        private final long createdMs;
        private final String text;
        private final List<String> tags;
        private final List<UUID> mentions;

        Post(User author, long random, long createdMs) {
            this.id = random >>> 11;
            this.author = author;
            this.createdMs = createdMs;
            this.tags = new ArrayList<>(2);
            this.mentions = new ArrayList<>(2);
            StringBuilder words = new StringBuilder();
            int count = 5 + (int) (random >>> 59 & 7);
            for (int i = 0; i < count; i++) {
                String word = WORDS[(int) (random >>> 5 * i & 31)];
                if (i == 3) {
                    tags.add(word);
                    words.append('#');
                }
                words.append(word).append(i == count - 1 ? '.' : ' ');
            }
            if ((random & 3) == 0) {
                mentions.add(PreloadedUsers.id((int) (random >>> 20 & 0x3ff)));
            }
            this.text = words.toString();
        }

        /** Readers mute one post in eight. */
        boolean isMuted() {
            return (id & 7) == 0;
        }

        void writeTo(JsonGenerator json) throws IOException {
            json.writeStartObject();
            json.writeNumberField("id", id);
            json.writeNumberField("createdMs", createdMs);
            json.writeObjectFieldStart("author");
            json.writeStringField("id", author.id.toString());
            json.writeStringField("name", author.name);
            json.writeEndObject();
            json.writeStringField("text", text);
            json.writeArrayFieldStart("tags");
            for (String tag : tags) {
                json.writeString(tag);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("mentions");
            for (UUID mention : mentions) {
                json.writeString(mention.toString());
            }
            json.writeEndArray();
            json.writeNumberField("likes", id % 1_000);
            json.writeEndObject();
        }
    }
}
