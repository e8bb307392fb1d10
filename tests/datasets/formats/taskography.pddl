; Made for a test: a problem as Taskography's generator writes them.
(define (problem taskographyv4tiny)
  (:domain taskographyv4)
  (:objects
    robot - agent
    room1_kitchen room2_living_room - room
    place0_door_room1_kitchen place1_door_room2_living_room place2_receptacle1_refrigerator
    place3_receptacle2_couch place4_item3_vase - place
    location_Xpos0_Ypos0_place0_room1_floorA location_Xneg4_Ypos1_place1_room2_floorA
    location_Xpos1_Ypos0_place2_room1_floorA location_Xneg4_Ypos2_place3_room2_floorA
    location_Xneg5_Ypos2_place4_room2_floorA - location
    receptacle1_refrigerator receptacle2_couch - receptacle
    item1_apple_smallitem item2_cell_phone_smallitem item3_vase_mediumitem - item
    refrigerator couch - rclass
    apple - iclass)
  (:init
    (placeInRoom place0_door_room1_kitchen room1_kitchen) (roomPlace place0_door_room1_kitchen room1_kitchen)
    (placeInRoom place1_door_room2_living_room room2_living_room)
    (roomPlace place1_door_room2_living_room room2_living_room)
    (placeInRoom place2_receptacle1_refrigerator room1_kitchen)
    (placeInRoom place3_receptacle2_couch room2_living_room)
    (placeInRoom place4_item3_vase room2_living_room)
    (placeLocation location_Xpos0_Ypos0_place0_room1_floorA place0_door_room1_kitchen)
    (locationInPlace location_Xpos0_Ypos0_place0_room1_floorA place0_door_room1_kitchen)
    (placeLocation location_Xneg4_Ypos1_place1_room2_floorA place1_door_room2_living_room)
    (locationInPlace location_Xpos1_Ypos0_place2_room1_floorA place2_receptacle1_refrigerator)
    (locationInPlace location_Xneg4_Ypos2_place3_room2_floorA place3_receptacle2_couch)
    (locationInPlace location_Xneg5_Ypos2_place4_room2_floorA place4_item3_vase)
    (roomsConnected room1_kitchen room2_living_room) (roomsConnected room2_living_room room1_kitchen)
    (receptacleAtLocation receptacle1_refrigerator location_Xpos1_Ypos0_place2_room1_floorA)
    (receptacleAtLocation receptacle2_couch location_Xneg4_Ypos2_place3_room2_floorA)
    (receptacleOpeningType receptacle1_refrigerator)
    (not (receptacleOpened receptacle1_refrigerator))
    (itemAtLocation item1_apple_smallitem location_Xpos1_Ypos0_place2_room1_floorA)
    (inReceptacle item1_apple_smallitem receptacle1_refrigerator) (inAnyReceptacle item1_apple_smallitem)
    (itemAtLocation item2_cell_phone_smallitem location_Xneg4_Ypos2_place3_room2_floorA)
    (inReceptacle item2_cell_phone_smallitem receptacle2_couch) (inAnyReceptacle item2_cell_phone_smallitem)
    (itemAtLocation item3_vase_mediumitem location_Xneg5_Ypos2_place4_room2_floorA)
    (smallItem item1_apple_smallitem) (mediumItem item3_vase_mediumitem)
    (receptacleClass receptacle1_refrigerator refrigerator) (itemClass item1_apple_smallitem apple)
    (classRelation apple couch)
    (inRoom robot room2_living_room) (inPlace robot place1_door_room2_living_room)
    (atLocation robot location_Xneg4_Ypos1_place1_room2_floorA))
  (:goal (and (inReceptacle item3_vase_mediumitem receptacle1_refrigerator)
              (inReceptacle item1_apple_smallitem receptacle2_couch))))
