import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// Entities that inherit from others.
  static let inheritanceCases: [ConformanceCase] = [
    ConformanceCase("inheritance: a clone has its original's concrete entity and all its attributes") {
      make, found in
      let graph = try make(shapes())
      let drawing = try graph.insert("Drawing", ["name": "d"])
      try graph.insert("Circle", ["color": "red", "radius": 2, "drawing": drawing.reference])
      try graph.insert("Square", ["color": "blue", "side": 3, "drawing": drawing.reference])
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: drawing, request: CloneRequest())
        let copy = try graph.object("Drawing", key: made.root.key)
        let shapes = try copy.destinations("shapes").sorted { $0.entity < $1.entity }
        found.equal(shapes.map(\.entity), ["Circle", "Square"], "the entities of the new shapes")
        found.equal(try shapes.first?.value("radius"), 2.0, "the radius")
        found.equal(try shapes.last?.value("side"), 3.0, "the side")
        found.equal(made.cloned, ["Drawing": 1, "Circle": 1, "Square": 1], "what was cloned")
      }
    },
    ConformanceCase("inheritance: an abstract entity can be asked for") { make, found in
      let graph = try make(shapes())
      let circle = try graph.insert("Circle", ["color": "red", "radius": 2])
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone("Shape", keys: [circle.id.key], in: graph)
        found.equal(made.root.entity, "Circle", "the entity of the clone")
        found.equal(made.cloned, ["Circle": 1], "what was cloned")
        found.equal(try graph.count("Shape"), 2, "the number of shapes")
        found.equal(try graph.count("Square"), 0, "the number of squares")
      }
    },
    ConformanceCase("inheritance: names of a base hold for what inherits from it") { make, found in
      let graph = try make(shapes())
      let drawing = try graph.insert("Drawing", ["name": "d"])
      try graph.insert("Circle", ["color": "red", "radius": 2, "drawing": drawing.reference])
      let made = try Cloner().clone(object: drawing, request: CloneRequest(exclude: ["Shape.color"]))
      let copy = try graph.object("Drawing", key: made.root.key)
      found.equal(try copy.texts("shapes", "color"), ["null"], "the excluded color")
    },
    ConformanceCase("inheritance: what is wrong for one sub-entity only is refused for its objects only") {
      make, found in
      let graph = try make(shapes(mark: ["followParent": "name"]))
      let circle = try graph.insert("Circle", ["color": "red", "radius": 2])
      let square = try graph.insert("Square", ["color": "blue", "side": 3, "mark": "s"])
      try Cloner().clone("Shape", keys: [circle.id.key], in: graph)
      try found.unchanged(graph) {
        try found.refuses(.missingAncestor, "a square without the drawing it follows") {
          try Cloner().clone("Shape", keys: [square.id.key], in: graph)
        }
        let request = CloneRequest(set: ["side": 4])
        try found.refuses(.unknownName, "a circle with a side") {
          try Cloner().clone("Shape", keys: [circle.id.key], in: graph, request: request)
        }
      }
    },
    ConformanceCase("inheritance: naming the base or the concrete entity refuses and allows the same") {
      make, found in
      let graph = try make(owners())
      let circle = try graph.insert("Circle", ["radius": 2])
      let square = try graph.insert("Square", ["side": 3])
      try graph.insert("Dot", ["size": 1, "square": square.reference])
      let requests = [
        CloneRequest(exclude: ["size"]), CloneRequest(exclude: ["Dot.size"]), CloneRequest(exclude: ["side"]),
        CloneRequest(exclude: ["radius"]), CloneRequest(set: ["side": 4]), CloneRequest(exclude: ["mark"]),
        CloneRequest(excludeAtRoot: ["side"]), CloneRequest(set: ["mark": "x"]),
        CloneRequest(set: ["mark": 7]),
      ]
      for request in requests {
        for root in [circle, square] {
          let outcomes = ["Shape", root.entity].map { entity in
            Result { try Cloner().clone(entity, keys: [root.id.key], in: graph, request: request).cloned }
              .mapError { ($0 as? CloneError) ?? CloneError(.invalidValue, "\($0)") }
          }
          found.equal(outcomes[0], outcomes[1], "\(request) of \(root.entity)")
        }
      }
      try found.refuses(.requiredLeftEmpty, "an attribute that dots need") {
        try Cloner().clone(
          "Shape", keys: [square.id.key], in: graph, request: CloneRequest(exclude: ["size"]))
      }
    },
    ConformanceCase("inheritance: attributes of one name and different types are set as the root has them") {
      make, found in
      let graph = try make(owners())
      let circle = try graph.insert("Circle", ["radius": 2])
      let request = CloneRequest(set: ["mark": "7"])
      let made = try Cloner().clone("Shape", keys: [circle.id.key], in: graph, request: request)
      found.equal(try graph.value("mark", of: made.root), "7", "the mark of the circle")
    },
    ConformanceCase("inheritance: siblings keep their references in one column, each its own") {
      make, found in
      let graph = try make(comments())
      let post = try graph.insert("Post", ["name": "post"])
      let photo = try graph.insert("Photo", ["name": "photo"])
      for (name, place) in [("a", 0), ("b", 1)] {
        let comments = try [
          graph.insert("PostComment", ["text": .string(name), "post": post.reference]),
          graph.insert("PhotoComment", ["text": .string(name + "!"), "photo": photo.reference]),
        ]
        found.equal(try post.destinations("comments").count, place + 1, "comments of the post")
        found.equal(try comments[1].destination("photo"), photo, "the photo of its comment")
      }
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: post, request: CloneRequest(count: 2))
        found.equal(made.cloned, ["Post": 2, "PostComment": 4], "what was cloned")
        for root in made.roots {
          found.equal(
            try graph.object("Post", key: root.key).texts("comments", "text"), ["a", "b"], "the new comments")
        }
        let copy = try Cloner().clone(object: photo.destinations("comments")[0])
        found.equal(try copy.destination("photo"), photo, "the photo of a comment's clone")
      }
      found.equal(try photo.texts("comments", "text"), ["a!", "b!", "a!"], "comments of the photo")
      try graph.delete(photo)
      found.equal(try post.texts("comments", "text"), ["a", "b"], "comments of the post in the end")
      found.equal(try graph.count("PhotoComment"), 0, "comments of the deleted photo")
    },
    ConformanceCase("inheritance: the key of a sub-entity is found under its base, not under its sibling") {
      make, found in
      let graph = try make(shapes())
      let circle = try graph.insert("Circle", ["color": "red", "radius": 2])
      found.equal(try graph.find("Shape", key: circle.id.key), circle.id, "the shape")
      found.equal(try graph.find("Square", key: circle.id.key), nil, "the square")
    },
  ]

  /// - Parameter mark: the annotations of an attribute that squares alone have.
  static func shapes(mark: [String: String] = [:]) throws -> ObjectModel {
    try model(
      entity("Drawing", [attribute("name")], [many("shapes", "Shape", inverse: "drawing")]),
      entity(
        "Shape", abstract: true, [attribute("color")], [one("drawing", "Drawing", inverse: "shapes")]),
      entity("Circle", parent: "Shape", [attribute("radius", .double)]),
      entity(
        "Square", parent: "Shape",
        [
          attribute("side", .double),
          AttributeDescription(name: "mark", type: .string, isOptional: true, userInfo: mark),
        ]))
  }

  /// Squares have dots, whose size is required; both kinds have a mark, each of another type.
  static func owners() throws -> ObjectModel {
    try model(
      entity("Shape", abstract: true, [attribute("color")]),
      entity(
        "Circle", parent: "Shape",
        [attribute("radius", .double, optional: false), attribute("mark", column: "circle_mark")]),
      entity(
        "Square", parent: "Shape",
        [attribute("side", .double, optional: false), attribute("mark", .integer64, column: "square_mark")],
        [many("dots", "Dot", inverse: "square", delete: .cascade)]),
      entity(
        "Dot", [attribute("size", .integer64, optional: false)], [one("square", "Square", inverse: "dots")]))
  }

  /// Comments of posts and of photos, with the subject in one column.
  static func comments() throws -> ObjectModel {
    func subject(_ name: String, _ destination: String) -> RelationshipDescription {
      RelationshipDescription(
        name: name, destination: destination, inverse: "comments", columns: [ForeignKeyColumn("subject_id")])
    }
    return try model(
      entity("Post", [attribute("name")], [many("comments", "PostComment", inverse: "post", ordered: true)]),
      entity(
        "Photo", [attribute("name")],
        [many("comments", "PhotoComment", inverse: "photo", ordered: true, delete: .cascade)]),
      entity("Comment", abstract: true, [attribute("text")]),
      entity("PostComment", parent: "Comment", [], [subject("post", "Post")]),
      entity("PhotoComment", parent: "Comment", [], [subject("photo", "Photo")]))
  }
}
