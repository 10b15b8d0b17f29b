package archive

import (
	"strings"
	"unicode/utf8"
)

// flagUTF8 says that the name of an entry is UTF-8 (APPNOTE 4.4.4, bit 11).
const flagUTF8 = 1 << 11

// codePage437 has the characters of the bytes from 128 on in names without flagUTF8 (APPNOTE
// appendix D.1).
const codePage437 = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
	"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0"

// decodeName returns the name of an entry as UTF-8. Windows and 7-Zip write names in code page 437,
// without the flag. Other programs write UTF-8 without the flag, which a name in the code page
// almost never is by chance.
func decodeName(stored string, flags uint16) string {
	if flags&flagUTF8 != 0 || utf8.ValidString(stored) {
		return stored
	}
	var name strings.Builder
	high := []rune(codePage437)
	for _, b := range []byte(stored) {
		if b < utf8.RuneSelf {
			name.WriteByte(b)
		} else {
			name.WriteRune(high[b-utf8.RuneSelf])
		}
	}
	return name.String()
}
