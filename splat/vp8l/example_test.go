package vp8l_test

import (
	"bytes"
	"fmt"

	"golang.org/x/image/webp"

	"portico/splat/vp8l"
)

func ExampleEncode() {
	pixels := []byte{
		255, 0, 0, 255, 0, 255, 0, 128, // red, half a green
		1, 2, 3, 0, 0, 0, 255, 255, // data under alpha 0, blue
	}
	var file bytes.Buffer
	if err := vp8l.Encode(&file, pixels, 2, 2); err != nil {
		fmt.Println(err)
		return
	}
	image, err := webp.Decode(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(image.At(0, 1))
	// Output: {1 2 3 0}
}
