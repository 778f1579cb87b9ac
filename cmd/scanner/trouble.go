package main

// trouble is why what people are shown isn't what happens on the table now, so
// that they are told of it; empty when all is well.
type trouble string

const (
	troubleJournal trouble = "journal" // nothing can be written
	troubleView    trouble = "view"    // the camera shows another view than before
	troubleBlind   trouble = "blind"   // the camera gives nothing
	troubleOver    trouble = "over"    // the camera was a recording, and that is over
)

// text is the trouble in words for everybody, in the language of the table.
func (t trouble) text(lang string) string {
	texts := map[trouble][2]string{
		troubleJournal: {"Events can't be written to the journal, so nothing new is shown", "Das Journal ist nicht zu beschreiben, daher erscheint nichts Neues"},
		troubleView:    {"The camera shows another view than before", "Die Kamera zeigt einen anderen Ausschnitt als zuvor"},
		troubleBlind:   {"No picture from the camera", "Kein Bild von der Kamera"},
		troubleOver:    {"The recording is over; the board stays as it is", "Die Aufzeichnung ist zu Ende; das Bild des Tisches bleibt, wie es ist"},
	}
	if lang == "de" {
		return texts[t][1]
	}
	return texts[t][0]
}
