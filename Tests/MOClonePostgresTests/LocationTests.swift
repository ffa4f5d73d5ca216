import Testing

@testable import MOClonePostgres

struct LocationTests {
  @Test(arguments: [
    "postgresql://localhost/notes", "postgres://", "service=notes", "host=/tmp dbname=notes",
    "dbname = notes",
  ])
  func aURIAndPairsAreALocation(_ text: String) throws {
    #expect(PostgresLocation.isPostgres(text))
    _ = try PostgresLocation(text)
  }

  @Test(arguments: [
    "notes.sqlite", "", "a=b.sqlite", "/tmp/postgres://x", "x/host=1", ":memory:", "file:x?mode=ro",
  ])
  func theNameOfAFileIsNone(_ text: String) {
    #expect(!PostgresLocation.isPostgres(text))
  }

  @Test func thePasswordIsNeverShown() throws {
    let location = try PostgresLocation("postgresql://me:s%40cret@localhost:5433/no%20tes?sslpassword=hidden")
    #expect(location.description == "dbname='no tes' host=localhost port=5433 user=me")
    #expect(try PostgresLocation(location.description).description == location.description)
  }

  @Test func locationsAreEqualByWhatTheySay() throws {
    #expect(try PostgresLocation("postgresql://me@h/d") == PostgresLocation("user=me host=h dbname=d"))
    #expect(try PostgresLocation("postgresql://me:a@h/d") != PostgresLocation("postgresql://me:b@h/d"))
    #expect(try PostgresLocation("") == PostgresLocation())
  }

  @Test(arguments: [
    "postgresql://me:sec%zzret@h/d", "postgresql://me:sec/ret@h/d", "host=h password='secret",
    "host=h sec=ret",
    "postgresql://h/d?secret=1",
  ])
  func whatCannotBeReadIsRefusedWithoutThePassword(_ text: String) {
    #expect { try PostgresLocation(text) } throws: {
      $0 is CloneError && !["secret", "sec%", "ret@", "sec="].contains(where: "\($0)".contains)
    }
  }
}
