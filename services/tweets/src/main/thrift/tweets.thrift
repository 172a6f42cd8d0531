// The interface of the tweet service and the social graph. The Java code beside it is written by hand against libthrift's
// TProtocol, as a compiler would generate it; clients of any language can be generated from here.
namespace java dev.lockstep.tweets

struct User {
  1: i64 id
  2: string screenName
  3: string name
  4: string bio
  5: i32 followers
  6: i32 following
}

struct Tweet {
  1: i64 id
  2: i64 authorId
  3: string text // 1 to 280 characters
  4: i64 createdMs
  5: list<string> hashtags
  6: list<i64> mentions
  7: i32 likes
}

struct Entry {
  1: Tweet tweet
  2: User author
}

exception NotFound {
  1: i64 id
}

exception Rejected {
  1: string reason
}

// The same argument has the same number everywhere: 1 id, 2 count, 3 ids, 4 text.
service TweetService {
  User getUser(1: i64 id) throws (1: NotFound notFound, 2: Rejected rejected)
  list<User> getUsers(3: list<i64> ids) throws (1: NotFound notFound, 2: Rejected rejected)
  Tweet getTweet(1: i64 id) throws (1: NotFound notFound, 2: Rejected rejected)
  list<Tweet> getTweets(3: list<i64> ids) throws (1: NotFound notFound, 2: Rejected rejected)
  Tweet postTweet(1: i64 id, 4: string text) throws (1: NotFound notFound, 2: Rejected rejected)
  // Newest first.
  list<Tweet> userTimeline(1: i64 id, 2: i32 count) throws (1: NotFound notFound, 2: Rejected rejected)
  // The newest tweets of those whom the user follows, without those with a hashtag that the user has muted.
  list<Entry> homeTimeline(1: i64 id, 2: i32 count) throws (1: NotFound notFound, 2: Rejected rejected)
}

// Served at the same port.
service SocialGraph {
  list<i64> following(1: i64 id) throws (1: NotFound notFound, 2: Rejected rejected)
  list<i64> followers(1: i64 id) throws (1: NotFound notFound, 2: Rejected rejected)
  // The intersection and the union of what these users follow, in ascending order; the union's first ones.
  list<i64> followedByAll(3: list<i64> ids) throws (1: NotFound notFound, 2: Rejected rejected)
  list<i64> followedByAny(2: i32 count, 3: list<i64> ids) throws (1: NotFound notFound, 2: Rejected rejected)
  // Whom most of those follow whom the user follows, and not the user.
  list<i64> suggestions(1: i64 id, 2: i32 count) throws (1: NotFound notFound, 2: Rejected rejected)
}
