"""What restricts, orders, excepts or takes back is read as such, or declined: no request is read as less.

Each sentence has a goal, or a part of the reason for which it is declined. They were written to trap the
reader, over two built-in scenes and the generated building, and judged by hand.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from reading_sets import load_instructions

from groundplan.datasets.scenes import open_scene
from groundplan.language.embedded.reader import EmbeddedReader, is_foreign
from groundplan.language.english.lexical import Lexical
from groundplan.language.reader import NotUnderstood
from groundplan.simulator.scene import Scene
from groundplan.simulator.scene_json import load_json, scene_from_json
from groundplan.simulator.view import View

BUILDING = Path(__file__).parent / "scenes" / "building.json"
NOT_READ = "this is not read as a request"


@cache
def scene(name: str) -> Scene:
    if name == "building":
        return scene_from_json(load_json(BUILDING), str(BUILDING), name)
    return open_scene(name)


READ = [
    # So many of so many.
    ("office", "Bring one of the two drones to the lobby.", "(exists (?x - drone) (ontop_of ?x shelf2))"),
    ("office", "Bring one of both drones to the lobby.", "(exists (?x - drone) (ontop_of ?x shelf2))"),
    ("office", "Put 2 of the 5 bottles of water on the lunch table.",
     "(exactly 2 (?x - bottle_water) (ontop_of ?x lunch_table))"),
    ("office", "Bring both drones to the lobby.", "(and (ontop_of drone1 shelf2) (ontop_of drone2 shelf2))"),
    ("home", "Put any of the three pillows on couch 0.", "(exists (?x - pillow) (ontop_of ?x couch0))"),
    ("home", "Put each of the three pillows on couch 0.",
     "(and (ontop_of pillow0 couch0) (ontop_of pillow1 couch0) (ontop_of pillow2 couch0))"),
    ("home", "Put both pillows of bedroom 1 on couch 0.",
     "(and (ontop_of pillow0 couch0) (ontop_of pillow1 couch0))"),
    ("building", "Turn on all four desk lamps.",
     "(and (turned_on desk_lamp1) (turned_on desk_lamp2) (turned_on desk_lamp3) (turned_on desk_lamp4))"),
    # What somebody did before is background.
    ("home", "Anna took the tie. Bring the ball to bed 1.", "(ontop_of ball0 bed1)"),
    ("home", "I need to see the ball on bed 1; you have to put it there.", "(ontop_of ball0 bed1)"),
    # Left as it is.
    ("office", "Leave the cabinet in Jason's office open.", "(always (open cabinet5))"),
    ("office", "Leave the coffee machine off.", "(always (turned_off coffee_machine))"),
    ("office", "Get me the cheese and leave the fridge open.",
     "(and (holding cheese) (open fridge) (robot_at pose8))"),
    ("home", "Put the ball in the chest and leave it open.",
     "(and (inside_of ball0 chest0) (open chest0))"),
    # None left so is every one otherwise.
    ("home", "Don't leave any bowl dirty.",
     "(and (clean bowl0) (clean bowl1) (clean bowl2) (clean bowl3) (clean bowl4))"),
    ("home", "Never leave a bowl dirty.",
     "(and (clean bowl0) (clean bowl1) (clean bowl2) (clean bowl3) (clean bowl4))"),
    ("building", "Leave drawers 2 open and close the cupboard in kitchen 3.",
     "(and (always (open drawers2)) (closed cupboard3))"),
    # One after the other.
    ("office", "Visit the cafeteria, then close Jason's cabinet.",
     "(and (sometime (robot_at cafeteria)) (closed cabinet5)"
     " (sometime-before (closed cabinet5) (robot_at cafeteria)))"),
    ("office", "Go to the kitchen and open the fridge.", "(open fridge)"),
    # A thing that is done something to at one place and brought to another, and what "one" stands for.
    ("office", "Take the kebab to the microwave, heat it and put it on the lunch table.",
     "(and (sometime (inside_of chicken_kebab microwave)) (closed microwave) (hot chicken_kebab)"
     " (turned_off microwave) (ontop_of chicken_kebab lunch_table))"),
    ("home", "Put the red sock in the wardrobe and the green one on the bed in bedroom 0.",
     "(and (inside_of sock0 wardrobe0) (closed wardrobe0) (ontop_of sock3 bed0))"),
    ("office", "Put the ripe banana in the fridge and the unripe on the bench.",
     "(and (inside_of banana1 fridge) (closed fridge) (ontop_of banana2 kitchen_bench))"),
    ("office", "Put the fork and the knife in the dishwasher and turn it on.",
     "(and (inside_of fork dishwasher) (closed dishwasher) (inside_of knife dishwasher)"
     " (turned_on dishwasher))"),
    # Any one is one of them, any of many are all of them.
    ("home", "Put any pillow in the chest.",
     "(exists (?x - pillow) (and (inside_of ?x chest0) (closed chest0)))"),
    ("home", "Put any socks on couch 0.",
     "(and (ontop_of sock0 couch0) (ontop_of sock1 couch0) (ontop_of sock2 couch0) (ontop_of sock3 couch0)"
     " (ontop_of sock4 couch0))"),
    ("home", "Don't leave any bowls dirty.",
     "(and (clean bowl0) (clean bowl1) (clean bowl2) (clean bowl3) (clean bowl4))"),
    # Everything is all that can be used so, furniture and devices too.
    ("home", "Turn on everything that is off.",
     "(and (turned_on dishwasher0) (turned_on microwave0) (turned_on oven0) (turned_on radio0)"
     " (turned_on television0))"),
    # Brackets and a pause may join, too.
    ("home", "Turn the television on (and the radio).",
     "(and (turned_on television0) (turned_on radio0))"),
    ("office", "Hmm... open the fridge.", "(open fridge)"),
    # What is left out goes on with the request before.
    ("building", "Turn on the stove and the microwave too.",
     "(and (turned_on stove1) (turned_on microwave1))"),
    # A reason or time without a comma ends where something is asked for.
    ("home", "Wash the mug while you are there and then turn on the radio.",
     "(and (clean mug0) (turned_on radio0) (sometime-before (turned_on radio0) (clean mug0)))"),
    ("home", "Wash the mug because the guests are coming.", "(clean mug0)"),
    ("office", "Open the fridge so I can see what there is.", "(open fridge)"),
    # A statement that says nothing of some of what was asked for.
    ("home", "Wash the bowls. They smell.",
     "(and (clean bowl0) (clean bowl1) (clean bowl2) (clean bowl3) (clean bowl4))"),
    ("office", "Close all cabinets. The visitors are coming.",
     "(and (closed cabinet) (closed cabinet1) (closed cabinet2) (closed cabinet3) (closed cabinet4)"
     " (closed cabinet5) (closed cabinet6))"),
    ("office", "Close Michael's cabinet. I can't reach it.", "(closed cabinet6)"),
    ("home", "Turn on the oven for dinner.", "(turned_on oven0)"),
    ("home", "Would you turn on the radio at once?", "(turned_on radio0)"),
    # What is said between quotation marks is a name.
    ("office", 'Bring the "terminator poster" to the kitchen.', "(ontop_of terminator_poster kitchen_bench)"),
    ("office", '"Bring the parcel to the kitchen."', "(ontop_of parcel kitchen_bench)"),
]  # fmt: skip
DECLINED = [
    # Forms that no plain set needs: a place denied, a place as it is, an exchange, several receivers.
    ("home", "Put the mug on couch 1, not on couch 0.", NOT_READ),
    ("office", "Leave the phone where it is and bring the parcel to the kitchen.", NOT_READ),
    ("office", "Swap the book in the manipulation lab with the one in the mobile robotics lab.", NOT_READ),
    ("office", "Replace the book in the manipulation lab with the one in the lobby.", NOT_READ),
    ("office", "Bring Tobi a banana and Niko an orange.", NOT_READ),
    ("home", "Turn on the television. Also the radio.", NOT_READ),
    ("office", "Empty the toolbox onto table 3.", "toolbox"),
    ("office", "Go to the kitchen and come back.", NOT_READ),
    ("office", "Go to the kitchen and then to the lobby.", NOT_READ),
    ("home", "Put the mug on the couch in living room 0 and the tie on the one in living room 1.",
     "'the mug on the couch'"),
    ("office", "Put a bottle of water on Peter's desk and another one on Tobi's desk.", "how many"),
    ("office", "Wash the plates in the kitchen that are dirty.", "dirty"),
    # What a verb says with a particle, a purpose or an infinitive that its sense does not know.
    ("home", "Take the laptop apart.", NOT_READ),
    ("home", "Hold back the ball.", NOT_READ),
    ("home", "Wash the sock in the wardrobe and wash the ones there.", NOT_READ),
    ("home", "I want the radio to stop.", NOT_READ),
    ("home", "Get the radio to play.", NOT_READ),
    ("home", "I need the cloth to clean.", NOT_READ),
    ("home", "Take the ball for granted.", "'granted'"),
    ("office", "Take the parcel to the kitchen as a present.", NOT_READ),
    ("home", "I could do with the radio on.", "not read as a request"),
    ("office", "Bring me something to eat with.", NOT_READ),
    # Times and spans.
    ("office", "Later, put the phone on desk 12.", "'Later'"),
    ("home", "The oven should be on tomorrow.", "'tomorrow'"),
    ("home", "Turn on the oven for the whole evening.", NOT_READ),
    ("home", "Turn on the oven for Monday.", NOT_READ),
    ("home", "Turn on the radio for now.", NOT_READ),
    # What is supposed, asked or told, and no request.
    ("home", "The radio must be on by now.", NOT_READ),
    ("home", "The wardrobe must be open, it smells of shirts.", NOT_READ),
    ("home", "Turn on the radio, may I?", NOT_READ),
    ("home", "Turn on the radio? Really?", NOT_READ),
    ("home", "Done: open the wardrobe.", "'Done'"),
    ("home", "Turn on the radio and you'll be sorry.", NOT_READ),
    # Wishes at odds, owners, contents, and what is there already.
    ("home", "Mum wants the television on and Dad wants it off.", "is to be changed"),
    ("home", "Turn on the radio, Tom wants it off.", "is to be changed"),
    ("office", "Niko wants a coffee and Peter wants one.", "one"),
    ("office", "Bring Niko's phone to Tobi.", "nothing known is Niko's"),
    ("office", "Open Niko's fridge.", "nothing known is Niko's"),
    ("home", "Put the ball in another chest.", "there is one"),
    ("home", "Keep the sausages hot.", NOT_READ),
    ("office", "Put the mug of coffee on Peter's desk.", NOT_READ),
    ("office", "Bring Niko a cold coffee.", NOT_READ),
    ("home", "Put a sock in the chest and a sock in the wardrobe.", "this is so already"),
    # Exceptions, and thanks for what is done.
    ("office", "Clear the kitchen bench but for the bread.", "but for"),
    ("home", "Thank you for turning on the radio. Open the fridge.", "Thank you for turning"),
    ("office", "Sorry for leaving the mug on the lunch table. Open the dishwasher.", "Sorry for leaving"),
    # What is said of a request after it.
    ("office", "Open the microwave. The dishwasher is what I meant.", "'The dishwasher is what I meant'"),
    ("office", "Close all cabinets. Peter likes his open.", "'Peter likes his open'"),
    ("office", "Close Jason's cabinet, the fridge having been shut before.", "the fridge having been shut"),
    ("home", "Substitute the towel for the tie.", "'Substitute the towel for the tie'"),
    # Orders that no goal holds.
    ("home", "Turn the television on, then off, then on again.", "no goal says that first"),
    ("office", "Open the fridge, go to the lobby, then close the fridge.", "no goal says that first"),
    ("office", "Put the noodles in the microwave, take them out and turn it on.", "to be moved"),
    ("home", "Put the ball in the chest and take the ball out.", "no goal says that first"),
    ("office", "Heat the noodles, then cool them.", "no goal says that first"),
    ("office", "Make a coffee and wash the coffee mug.", "no goal says that first"),
    ("office", "Fill the mug with coffee and wash it.", "no goal says that first"),
    ("office", "Put the milk carton in the rubbish bin, then empty the rubbish bin.", "that first"),
    ("office", "Go to the lobby, then to the kitchen, then to the lobby again.", NOT_READ),
    ("office", "Turn the coffee machine on and off.", "'and off'"),
    # Words for several kinds of things, and what stands for a noun.
    ("office", "Throw the food away.", "several things fit 'the food'"),
    ("home", "Put the fruit in the fridge in kitchen 0.", "several things fit 'the fruit'"),
    ("office", "Put the drink in the fridge.", "several things fit 'the drink'"),
    ("home", "Wash the dirty ones.", "it is not said what 'the dirty ones' is"),
    ("home", "Take the blue to the wardrobe.", "sock2 is there already; say which other one"),
    ("office", "Heat the bread and the noodles and bring it.", "several things fit 'it'"),
    ("office", "Put the bowl on the lunch table and the spoon in it.", "nothing goes in lunch_table"),
    ("office", "Take the apple for a banana.", "'banana'"),
    ("office", "Make coffee for three.", "not read as a request"),
    ("office", "Get the fork and the knife and wash it.", "several things fit 'it'"),
    ("office", "Put two or three bottles in the fridge.", "not read as a request"),
    ("office", "Close Jason's cabinet, but before that open the fridge.", "but before that open the fridge"),
    ("office", "Close Jason's cabinet. Prior to this, open the fridge.", "Prior to this"),
    ("home", "Wash the bowl, but first wash the mug.", "because of 'first'"),
    ("office", "Close Jason's cabinet. Open the fridge first.", "because of 'first'"),
    ("home", "Open the chest. Before you start, close the wardrobe.", "'Before you start'"),
    ("home", "Open the chest; and before the rest, close the wardrobe.", "'and before the rest'"),
    ("office", "Open the fridge, before all else close Michael's cabinet.", "because of 'before'"),
    ("home", "Wash the bowls since they smell except bowl 1.", NOT_READ),
    ("home", "Because the guests are coming open the chest and wash the mug.", "because of 'Because'"),
    ("home", "As it is late turn off the radio and wash the mug.", "because of 'As'"),
    ("home", "Wash the mug. Because the guests are coming open the chest.", "because of 'Because'"),
    ("office", "Close all cabinets because it is late but leave Michael's.", "'but leave Michael's'"),
    ("home", "Turn on the television so that I can sit and open the wardrobe.", NOT_READ),
    ("office", "Bring me the orange before the banana.", NOT_READ),
    ("office", "Close Jason's cabinet while leaving Michael's open.", NOT_READ),
    ("office", "Close Jason's cabinet the moment Niko leaves.", NOT_READ),
    ("office", "Every time the fridge is open, close it.", NOT_READ),
    ("office", "Open the fridge only after Jason's cabinet is closed.", "because of 'only'"),
    # Two things without "and": one instead of the other, or one said twice.
    ("home", "Turn on the radio (the television).", "'Turn on the radio (the television)'"),
    ("home", "Put the tie in the wardrobe... the chest.", "'Put the tie in the wardrobe... the chest'"),
    ("home", "Put the tie in the wardrobe \u2014 the chest.", NOT_READ),
    ("home", "Open the wardrobe, the chest.", NOT_READ),
    ("office", "Bring the orange (it is on the kitchen bench) to the lobby.", NOT_READ),
    ("office", "Bring the parcel, it is heavy, to the kitchen.", NOT_READ),
    # Where the id of one is the class of several, it is none of them.
    ("office", "Close the cabinet.", "several things fit 'the cabinet': cabinet5, cabinet6"),
    # A reason is in the words of the instruction.
    ("office", "Please close Jason's cabinet and don't open the fridge again!",
     "'Please close Jason's cabinet and don't open the fridge again'"),
    ("office", "Close Jason's cabinet the moment Niko leaves.", "the moment Niko leaves"),
    ("office", "Stop the fridge being open.", NOT_READ),
    # Exceptions.
    ("office", "Put everything on the kitchen bench into the fridge, but not the bread.", NOT_READ),
    ("office", "Make me a coffee, but not in Niko's mug.", "because of 'not'"),
    ("office", "Bring Tobi a coffee, but not in Niko's mug.", "but not in Niko's mug"),
    ("office", "Heat the noodles, but not in the microwave.", NOT_READ),
    ("office", "Put the orange on a desk, but not on Niko's.", "but not on Niko's"),
    ("office", "Bring the parcel to the kitchen, not on the bench.", "'not on the bench'"),
    ("building", "Turn on all the lamps, save for desk lamp 1.", "save for desk lamp 1"),
    ("building", "Turn on all lamps, though not the one in office 2.", NOT_READ),
    ("office", "Close Jason's cabinet but Michael's not.", NOT_READ),
    ("home", "The ball goes in the chest, the rattle does not.", "because of 'not'"),
    # So many of so many.
    ("home", "Put one of the four pillows on couch 0.", "speaks of 4, there are 3"),
    ("home", "Put both of the pillows on couch 0.", "speaks of 2, there are 3"),
    ("home", "Put all of the two pillows on couch 0.", "speaks of 2, there are 3"),
    ("home", "Put a pillow or two on couch 0.", NOT_READ),
    ("home", "Put one of your pillows on couch 0.", NOT_READ),
    ("office", "Bring some of the bottles of water to the cafeteria.", NOT_READ),
    ("office", "Bring half of the bottles of water to the cafeteria.", "'half'"),
    ("office", "Bring either of the drones to the lobby.", "'either'"),
    ("building", "Turn on all three desk lamps.", "speaks of 3, there are 4"),
    ("office", "Make a coffee for me and one for Niko.", NOT_READ),
    # To be left.
    ("office", "Put the books on table 1 and leave the one in the manipulation lab where it is.",
     NOT_READ),
    ("office", "Leave book 2 where it is and put the books on table 1.", NOT_READ),
    ("office", "Bring the books to the lobby but leave one on table 3.", "is to be moved, and to be left"),
    ("office", "Bring the apples to the lobby, but let the one in Will's cabinet stay there.", NOT_READ),
    ("office", "Bring the apples to the lobby; Will keeps his.", NOT_READ),
    ("office", "Take the apples to the lobby and let Peter keep his.", NOT_READ),
    ("office", "Take the drones to the lobby, and the one in phd bay 3 remains there.", NOT_READ),
    ("office", "Take the apples to the lobby and leave his.", NOT_READ),
    ("office", "Put the books on table 1 and leave the second.", NOT_READ),
    ("office", "Put the books on table 1 and let book 2 be.", NOT_READ),
    ("office", "Leave the books where they are.", NOT_READ),
    ("office", "Leave the cabinet open.", "several things fit 'the cabinet': cabinet5, cabinet6"),
    ("office", "Leave the coffee machine running.", "coffee_machine is off"),
    ("home", "Keep the wardrobe open.", "wardrobe0 is closed"),
    ("office", "Close all cabinets and leave the one in Jason's office open.",
     "cabinet5 is to be changed, and to be left as it is"),
    ("office", "Close Jason's cabinet. Wait, leave it open.", "Wait"),
    ("home", "Put the socks in the wardrobe and keep the red one out.", NOT_READ),
    ("home", "Let the pillows lie and put the tie in the wardrobe.", NOT_READ),
    ("home", "Let the radio play.", NOT_READ),
    # Conditions.
    ("office", "In case the fridge is closed, open it.", NOT_READ),
    ("office", "In the event that the fridge is open, put the orange in it.", NOT_READ),
    ("office", "Provided that the fridge is closed, put the orange in it.", NOT_READ),
    ("office", "Assuming the fridge is open, close it.", NOT_READ),
    ("office", "As long as the fridge is closed, put the orange in the microwave.", NOT_READ),
    # One of those that are so, or each of them.
    ("office", "Close any cabinet that is open.", NOT_READ),
    ("home", "Put any pillow that is on bed 1 on couch 0.", NOT_READ),
    ("home", "Wash any dirty bowl.", NOT_READ),
    ("office", "Put one of each fruit on the lunch table.", NOT_READ),
    # Which one.
    ("home", "Put the one in the wardrobe on couch 0.", "it is not said which one"),
    ("office", "Put a banana in the fridge, the one on the lunch table.", NOT_READ),
    ("office", "Take the plate on the lunch table to the kitchen and wash the one in the dishwasher.",
     "plate2 is clean already"),
    ("office", "Bring me the plate, which should be clean.", NOT_READ),
    # Half of it the other way.
    ("home", "Turn off the television, and the radio on.", NOT_READ),
    ("home", "Take the tie to bedroom 0, later to the playroom.", "because of 'later'"),
    ("office", "Put the bread alone in the fridge.", "'alone' is left over"),
    # How far, how often.
    ("office", "Partly close Jason's cabinet.", "because of 'Partly'"),
    ("home", "Open the wardrobe and the chest, respectively.", "because of 'respectively'"),
    # Comparisons and places that are elsewhere.
    ("home", "Bring me a sock like the one in the wardrobe.", NOT_READ),
    ("office", "Put the parcel on the same table as the gripper.", "because of 'as'"),
    ("office", "Bring me the book outside the manipulation lab.", NOT_READ),
    # What takes back what was said.
    ("home", "Bring me the apple, I mean the banana.", "because of 'mean'"),
    ("office", "Open the fridge, sorry, the microwave.", "because of 'sorry'"),
    ("home", "Turn on the television. Oops, I meant the radio.", "not read"),
    ("office", "Bring me the orange. Actually, bring me the banana.", "because of 'Actually'"),
    ("office", "Open the fridge, well, the microwave.", "because of 'well'"),
    ("office", "Bring me the orange. I changed my mind: bring me the banana.", "because of 'changed'"),
    ("office", "Put the orange in the fridge. I'd rather have it on the lunch table.", "because of 'rather'"),
    # What is said of a request after it: that it is not so, should be otherwise, or is so of one of several.
    ("home", "Put the pillows on couch 0. Pillow 1 isn't to be touched.", "is forbidden, too:"),
    ("home", "Wash the mug. The dishwasher can't be used.", "The dishwasher can't be used"),
    ("office", "Bring me the banana in the kitchen. Bread, not banana.", "because of 'not'"),
    ("home", "Open the wardrobe. It should finish up closed.", "'It should finish up closed'"),
    ("office", "Bring the phone to the lobby. The cafeteria would be nearer.", NOT_READ),
    ("office", "Bring the phone to the lobby. I prefer it in the cafeteria.", "because of 'prefer'"),
    ("office", "Bring the phone to the lobby. Tobi will take it.", "'Tobi will take it'"),
    ("home", "Put the pillows on couch 0. Pillow 1 is fine there.", "'Pillow 1 is fine there'"),
    ("home", "Put all pillows on couch 0. Somebody is sleeping on pillow 2.", "not read as a request"),
    ("office", "Close all cabinets. Niko is using his.", NOT_READ),
    ("office", "Close all cabinets, Niko's being needed.", NOT_READ),
    ("home", "Wash the bowls, the one in bedroom 1 being the exception.", NOT_READ),
    ("office", "Close all cabinets. I want Niko's open.", "nothing"),
    ("office", "Continue by opening the fridge; close Jason's cabinet.", "'Continue by opening the fridge'"),
    ("home", "Proceed cleaning the mug and open the chest.", NOT_READ),
    ("home", "Open the chest. Since the bowl is dirty wash it.", NOT_READ),
    ("home", "Open the chest. I said wardrobe.", "because of 'said wardrobe'"),
    # One in place of another, back again, by the way, all places for one thing.
    ("home", "Open every cabinet instead of the wardrobe.", "because of 'instead'"),
    ("home", "Instead of opening the chest, wash the mug.", "because of 'Instead'"),
    ("home", "Open the chest. Open the wardrobe instead.", "because of 'instead'"),
    ("home", "Besides washing the mug, open the chest.", NOT_READ),
    ("home", "Far from opening the chest, wash the mug.", "from opening the chest"),
    ("home", "Take the mug to couch 0 and put it back where it was.", NOT_READ),
    ("home", "Take the mug to couch 0, then return it to where you got it.", NOT_READ),
    ("home", "Take the tie to couch 0 and on your way visit the playroom.", NOT_READ),
    ("office", "Bring the phone to every desk in phd bay 1.", "several things fit 'every desk"),
    ("home", "Open the chest, but the wardrobe must be closed by then.", NOT_READ),
    ("home", "Open the chest -- um, the wardrobe.", NOT_READ),
    ("home", "Bring me the rattle, that is, the ball.", NOT_READ),
    ("home", "Put the mug on couch 0 - on couch 1, that is.", NOT_READ),
    ("home", "Put the mug on couch 0. On couch 1.", "'On couch 1'"),
    ("home", "Turn on the oven again and again.", "because of 'again and again'"),
    ("home", "Turn on the oven for as long as I am here.", NOT_READ),
    ("home", "Put the mug on the one in living room 0.", "it is not said what 'the one' is"),
    # What was done, and what a request is worth.
    ("home", "Peter carried the tie to couch 0.", "not read as a request"),
    ("home", "The nurse fetched me the tie.", "not read as a request"),
    ("home", "Anna took the tie to couch 0 and the mug to couch 1.", "'and the mug to couch 1'"),
    ("home", "At first the mug was on the desk, then you put it on couch 0.", NOT_READ),
    ("home", "It was you who put the mug on couch 0.", NOT_READ),
    ("home", "You had to put the mug on couch 0.", NOT_READ),
    ("home", "I wanted the mug on couch 0 last month.", "not read as a request"),
    ("home", "Put the mug on couch 0. Anna put it there.", "'Anna put it there'"),
    ("home", "Turn on the oven. It is unneeded.", "'It is unneeded'"),
    ("home", "Turn on the oven. It seems senseless.", "'It seems senseless'"),
    ("home", "Turn on the oven. It is voluntary.", "'It is voluntary'"),
    ("home", "Turn on the oven; it was against my wishes.", NOT_READ),
    # Relative clauses.
    ("home", "Bring the tie, on which the bowl stands, to couch 0.", NOT_READ),
    ("home", "Bring me the sock that I forgot.", "several things fit"),
    ("home", "Bring me the bowl that I want washed.", NOT_READ),
    ("office", "Bring me the apple that is not in a cabinet.", NOT_READ),
    ("building", "Bring the book that was on desk 1 to office 3.", "on desk 1"),
    # Other people's words, and leave.
    ("office", 'Niko said "bring the parcel to the kitchen".', NOT_READ),
    ("office", 'Put the note "do not open" on the fridge.', NOT_READ),
    ("office", "You may open the fridge.", NOT_READ),
    ("office", "Prevent the fridge from being open.", NOT_READ),
    ("office", "Close Jason's cabinet. Same for Michael's.", "'Same'"),
]  # fmt: skip


FOREIGN = [
    "Bringe mir bitte die Banane.",
    "Öffne den Kühlschrank!",
    "Pon la manzana en la nevera.",
    "Apri il frigo e prendi la mela.",
    "Открой холодильник.",
    "把苹果放进冰箱",
]


@pytest.mark.parametrize("text", FOREIGN)
def test_another_language_is_told_before_a_room_is_opened(text: str) -> None:
    result = EmbeddedReader(Lexical()).search(text, View.first(scene("office")))
    assert (result.outcome, result.trace) == ("not-understood", ())
    assert "reads English" in result.reason


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.json")), ids=lambda path: path.stem)
def test_no_instruction_of_the_sets_is_taken_for_another_language(path: Path) -> None:
    taken = [told.text for told in load_instructions(path) if is_foreign(told.text)]
    assert set(taken) <= {"asdf jkl qwerty", "asdf lkj qwer kitchn zzz"}


def reading(name: str, text: str) -> str:
    written = EmbeddedReader(Lexical()).write(text, scene(name))
    return written.reason if isinstance(written, NotUnderstood) else str(written.formula)


@pytest.mark.parametrize(("name", "text", "goal"), READ)
def test_what_restricts_a_request_is_in_its_goal(name: str, text: str, goal: str) -> None:
    assert reading(name, text) == goal


@pytest.mark.parametrize(("name", "text", "reason"), DECLINED)
def test_what_no_goal_holds_is_declined(name: str, text: str, reason: str) -> None:
    assert reason in reading(name, text)
