package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// WholeNumber returns the digits of a number in JSON whose value is whole: 3 for 3, 3.0 and 0.3e1,
// because many languages write whole numbers with a fraction. It returns false for any other text. A
// number in digits may have any length. Another one must be in the range of float64, which limits
// the zeros that its exponent adds.
func WholeNumber(text string) (digits string, ok bool) {
	if !json.Valid([]byte(text)) || rawKind(json.RawMessage(text)) != "number" {
		return "", false
	}
	if !strings.ContainsAny(text, ".eE") {
		return text, true
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return "", false
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", true
	}
	shift := 0
	if exponent != "" {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil { // an exponent of more digits than an int
			return "", false
		}
	}
	switch places := len(fraction) - shift; {
	case places <= 0:
		digits += strings.Repeat("0", -places)
	case places >= len(digits) || strings.Trim(digits[len(digits)-places:], "0") != "":
		return "", false
	default:
		digits = digits[:len(digits)-places]
	}
	if negative {
		digits = "-" + digits
	}
	return digits, true
}
