package main

// trouble is what keeps the program from seeing or keeping what happens, so that
// people are told of it; empty when all is well.
type trouble string

const (
	troubleJournal trouble = "journal" // nothing can be written
	troubleView    trouble = "view"    // the camera shows another view than before
	troubleBlind   trouble = "blind"   // the camera gives nothing
)

// text is the trouble in words for everybody, in the language of the table.
func (t trouble) text(lang string) string {
	texts := map[trouble][2]string{
		troubleJournal: {"Events can't be written to the journal, so nothing new is shown", "Das Journal ist nicht zu beschreiben, daher erscheint nichts Neues"},
		troubleView:    {"The camera shows another view than before", "Die Kamera zeigt einen anderen Ausschnitt als zuvor"},
		troubleBlind:   {"No picture from the camera", "Kein Bild von der Kamera"},
	}
	if lang == "de" {
		return texts[t][1]
	}
	return texts[t][0]
}
