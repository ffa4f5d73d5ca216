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
}
