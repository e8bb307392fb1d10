Creator "a test"
graph [
  name "corridor"
  map "ground floor"
  node [
    id 0
    label "hall"
    type "room"
    position [
      x 0.0
      y 0.0
      z 0.0
    ]
  ]
  node [
    id 1
    label "p1"
    type "waypoint"
    world 2.0
    world 0.0
    world 0.0
    pixel 40
    pixel 2
  ]
  node [
    id 2
    label "kitchen"
    type "room"
    position [ x 6.0 y 0.0 z 0.0 ]
  ]
  node [
    id 3
    label "door1"
    type "door"
    state "closed"
  ]
  node [
    id 4
    label "table1"
    type "furniture"
    level 2
    affordances "release"
  ]
  node [
    id 5
    label "cup1"
    type "object"
    affordances "pickup"
  ]
  edge [
    source 0
    target 1
    weight 2.0
    edge_type "skeleton"
  ]
  edge [
    source 1
    target 3
    weight 1.5
  ]
  edge [
    source 3
    target 2
    weight 2.5
  ]
  edge [
    source 4
    target 2
    relation "in"
  ]
  edge [
    source 5
    target 4
    relation "on"
  ]
]
