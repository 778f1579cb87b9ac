package deck

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"sync"
	"weak"
)

// drawing is a picture that is drawn once. It is kept packed, at a quarter of its
// size, and unpacked while somebody uses it: the pictures of the whole deck
// would take 110 MB, to draw one again a tenth of a second.
type drawing struct {
	draw func() *image.RGBA

	mu     sync.Mutex
	packed []byte // PNG; nil before it is drawn
	inUse  weak.Pointer[image.RGBA]
}

func (d *drawing) picture() *image.RGBA {
	d.mu.Lock()
	defer d.mu.Unlock()
	if img := d.inUse.Value(); img != nil {
		return img
	}
	var img *image.RGBA
	if d.packed == nil {
		img = d.draw()
		d.packed = pack(img)
	} else {
		img = unpack(d.packed)
	}
	d.inUse = weak.Make(img)
	return img
}

// write writes the picture to a PNG file.
func (d *drawing) write(path string) error {
	d.picture()
	if err := os.WriteFile(path, d.packed, 0o644); err != nil {
		return fmt.Errorf("deck: writing a card's picture: %w", err)
	}
	return nil
}

// pack and unpack lose nothing of a picture without transparent places, as all
// cards are. They fail only when memory does.
func pack(img *image.RGBA) []byte {
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, img); err != nil {
		panic(fmt.Sprintf("deck: packing a picture: %v", err))
	}
	return bytes.Clone(out.Bytes()) // not the room to grow
}

func unpack(data []byte) *image.RGBA {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		panic(fmt.Sprintf("deck: unpacking a picture: %v", err))
	}
	return img.(*image.RGBA) // what an opaque picture with 8 bits a colour is decoded as
}
