struct Item {
  1: i32 id,
  2: string name,
  3: list<i64> values,
  4: map<string, i32> counts,
  5: bool good,
  6: double weight,
  7: set<string> tags
}

exception Failure {
  1: string why
}

service Live {
  void ping(),
  string echo(1: string text),
  i32 add(1: i32 a, 2: i32 b),
  oneway void log(1: string line),
  list<Item> nested(1: Item item),
  void fail(1: string why) throws (1: Failure failure)
}

service Newer extends Live {
  void missing()
}
