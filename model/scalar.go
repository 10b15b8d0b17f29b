package model

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// TimeLayout is the one timestamp format: ISO 8601 in UTC with milliseconds
// (API section 1, convention 2).
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Time is a moment that clients see in TimeLayout. Its zero value is SQL NULL and JSON null.
type Time struct{ time.Time }

// Now returns the current moment in UTC, truncated to microseconds: the precision of
// Postgres, so that a stored row equals the row that is read.
func Now() Time { return Time{time.Now().UTC().Truncate(time.Microsecond)} }

// String returns the moment in TimeLayout.
func (t Time) String() string { return t.UTC().Format(TimeLayout) }

// MarshalJSON writes the moment in TimeLayout, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.appendJSON(nil), nil
}

// appendJSON appends the moment in TimeLayout, which needs no escape, as a JSON string.
func (t Time) appendJSON(b []byte) []byte {
	b = t.UTC().AppendFormat(append(b, '"'), TimeLayout)
	return append(b, '"')
}

// Scan reads a timestamptz column.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case time.Time:
		*t = Time{v.UTC()}
	default:
		return fmt.Errorf("scan time: unexpected %T", src)
	}
	return nil
}

// Value writes a timestamptz column.
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.UTC(), nil
}

// MarshalGQL writes scalar DateTime. A list has hundreds of times, so they are written into the
// buffer of the response without a copy.
func (t Time) MarshalGQL(w io.Writer) {
	if buffer, ok := w.(*bytes.Buffer); ok && !t.IsZero() {
		buffer.Write(t.appendJSON(buffer.AvailableBuffer()))
		return
	}
	b, _ := t.MarshalJSON() // never fails
	_, _ = w.Write(b)       // a response buffer, which does not fail
}

// UnmarshalGQL reads scalar DateTime. The message of its error is for clients.
func (t *Time) UnmarshalGQL(v any) error {
	s, ok := v.(string)
	if !ok {
		return Invalidf("must be a string such as %q", TimeLayout)
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return Invalidf("must be a string such as %q", TimeLayout)
	}
	*t = Time{at.UTC()}
	return nil
}

// Object is a JSON object of a client. Its numbers keep their exact text: REST and MCP keep the
// bytes, and GraphQL decodes a variable with json.Number. The zero value means no object.
type Object []byte

// ParseObject returns b as an Object; any other JSON value is an error.
func ParseObject(b []byte) (Object, error) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return nil, errors.New("must be a JSON object")
	}
	return bytes.Clone(b), nil
}

// NewObject encodes a struct or a map of ours as an Object. It panics if that cannot be encoded.
func NewObject(fields any) Object {
	b, err := encode(fields)
	if err != nil {
		panic("model: NewObject of " + err.Error()) // a programmer's mistake: fields are ours
	}
	return b
}

// OrEmpty returns the object, or {} for the zero value.
func (o Object) OrEmpty() Object {
	if len(o) == 0 {
		return Object("{}")
	}
	return o
}

// mayContain returns false only if the object surely has no field of this name: its text contains
// neither the name nor an escape that could encode a letter of the name. It is faster than Fields.
func (o Object) mayContain(name string) bool {
	return bytes.Contains(o, []byte(name)) || bytes.Contains(o, []byte(`\u`))
}

// With returns the object with the fields of other, which replace fields of the same name.
func (o Object) With(other Object) Object {
	fields := o.Fields()
	for name, value := range other.Fields() {
		fields[name] = value
	}
	return NewObject(fields)
}

// MarshalJSON returns the bytes as they are.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o, nil
}

// UnmarshalJSON keeps a copy of the bytes; null becomes the zero value.
func (o *Object) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		*o = nil
		return nil
	}
	if b[0] != '{' {
		return &json.UnmarshalTypeError{Value: jsonKind(b[0]), Type: objectType}
	}
	*o = bytes.Clone(b)
	return nil
}

// Scan reads a jsonb column.
func (o *Object) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*o = nil
	case []byte:
		*o = bytes.Clone(v)
	case string:
		*o = Object(v)
	default:
		return fmt.Errorf("scan object: unexpected %T", src)
	}
	return nil
}

// Value writes a jsonb column.
func (o Object) Value() (driver.Value, error) {
	if o == nil {
		return nil, nil
	}
	return string(o), nil
}

// MarshalGQL writes scalar JSON.
func (o Object) MarshalGQL(w io.Writer) {
	b, _ := o.MarshalJSON() // never fails
	_, _ = w.Write(b)       // a response buffer, which does not fail
}

// UnmarshalGQL reads scalar JSON from a variable, whose numbers arrive as
// json.Number and so keep their text, or from a literal.
func (o *Object) UnmarshalGQL(v any) error {
	if _, ok := v.(map[string]any); !ok {
		return Invalidf("must be an object")
	}
	b, err := encode(v)
	*o = b
	return err
}

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

// These methods return fields that are null in GraphQL where the tables have an empty text or 0.
// The generated code calls them.

// Result returns the resource key of the job's result; nil until the job is completed.
func (j *Job) Result() *string { return orNil(j.ResultKey) }

// Failure returns why the job failed; nil for a job that did not.
func (j *Job) Failure() *string { return orNil(j.Error) }

// AttributionLine returns Attribution; nil for a file that requires none.
func (f *File) AttributionLine() *string { return orNil(f.Attribution()) }

// FormatVersion returns Version; nil for a format without versions.
func (f *FileFacts) FormatVersion() *string { return orNil(f.Version) }

// TrainedModel returns Model; nil for the renderer of 3DGS.
func (f *FileFacts) TrainedModel() *string { return orNil(f.Model) }

// Damage returns Fault; nil for a file that is not damaged.
func (f *FileFacts) Damage() *string { return orNil(f.Fault) }

// StatedReason returns Reason; nil for none, and for a reason that only a newer server on the same
// database knows.
func (e *SecurityEvent) StatedReason() *SecurityEventReason {
	if eventReasonTexts[e.Reason] == "" {
		return nil
	}
	return &e.Reason
}

// StatedTakedownReason returns TakedownReason; nil for an event that is no takedown.
func (e *SecurityEvent) StatedTakedownReason() *ReportReason { return orNil(e.TakedownReason) }

// StatedDisabledCause returns DisabledCause; nil if the server did not disable the webhook.
func (w *Webhook) StatedDisabledCause() *WebhookDisabledCause { return orNil(w.DisabledCause) }

// StatedStatus returns Status; nil without a response.
func (f *WebhookFailure) StatedStatus() *int { return orNil(f.Status) }

// StatedSeconds returns Seconds; nil for a failure that is no timeout.
func (f *WebhookFailure) StatedSeconds() *int { return orNil(f.Seconds) }

// orNil returns a pointer to the value; nil for the zero value.
func orNil[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// RemoveInvisible returns a name without invisible characters and characters that change the
// direction of text. With them, one name could look like another.
func RemoveInvisible(name string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, name)
	return strings.TrimSpace(name)
}

// IsBlank reports whether nothing of a text can be seen: it is no title and no name.
func IsBlank(text string) bool { return RemoveInvisible(text) == "" }

// checkOneOf returns an error that lists the allowed values if value is not one of them.
func checkOneOf[T ~string](field string, value T, allowed []T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, word := range allowed {
		words[i] = string(word)
	}
	return InvalidField(field, "must be one of "+strings.Join(words, ", "))
}

// checkText refuses text that Postgres cannot store or that is longer than maximum
// characters.
func checkText(field, text string, maximum int) error {
	switch {
	case !utf8.ValidString(text):
		return InvalidField(field, "must be valid UTF-8")
	case strings.ContainsRune(text, 0):
		return InvalidField(field, "must not contain a NUL character")
	case utf8.RuneCountInString(text) > maximum:
		params := map[string]string{"n": strconv.Itoa(maximum)}
		return InvalidTemplate(field+" must have at most {n} characters", params).WithField(field)
	}
	return nil
}

// checkName is checkText for a name or a title, which is shown in one line beside the texts of others:
// it also refuses line breaks, other control characters and characters that change the direction of
// the text that follows.
func checkName(field, text string, maximum int) error {
	if err := checkText(field, text, maximum); err != nil {
		return err
	}
	if strings.ContainsFunc(text, isDisruptive) {
		return InvalidField(field, "must not contain line breaks, control characters or characters that change the direction of text")
	}
	return nil
}

// isDisruptive reports whether a character of a name changes how the text around it is shown. The
// marks that scripts from right to left need are allowed, and so are the joiners in emoji.
func isDisruptive(c rune) bool {
	switch {
	case unicode.IsControl(c), c == '\u2028', c == '\u2029': // ends of lines
		return true
	case c >= '\u202a' && c <= '\u202e', c >= '\u2066' && c <= '\u2069': // embeddings, overrides, isolates
		return true
	}
	return false
}

// withoutDisruptive returns a name that was stored before checkName refused it, without the
// characters that checkName refuses.
func withoutDisruptive(name string) string {
	return strings.Map(func(c rune) rune {
		if isDisruptive(c) {
			return -1
		}
		return c
	}, name)
}

// CheckSurrogates refuses valid JSON with half of a surrogate pair in a string, such as "\ud800",
// which is not a character: encoding/json would replace it silently. The error names the field, or
// whole for a string that is in no field.
func CheckSurrogates(whole string, raw []byte) error {
	path, found := findText(raw, HasLoneSurrogate)
	if !found {
		return nil
	}
	return LoneSurrogate(cmp.Or(path, whole))
}

// CheckVariables is CheckSurrogates for the variables of a GraphQL request. The error names the field
// below the variable, the variable itself if it is a text, or its element if it is a list.
func CheckVariables(raw []byte) error {
	path, found := findText(raw, HasLoneSurrogate)
	if !found {
		return nil
	}
	variable, field, _ := strings.Cut(path, ".")
	if field != "" && isDigit(field[0]) { // an index: names of GraphQL do not start with a digit
		field = path
	}
	return LoneSurrogate(cmp.Or(field, variable, "variables"))
}

// LoneSurrogate returns the refusal of a field with half of a surrogate pair.
func LoneSurrogate(field string) error {
	return InvalidField(field, "must not contain half of a surrogate pair")
}

// findText returns the path of the first string for which matches returns true, as findString does.
// matches is called with the string as it was sent. Only a string with an escape \u can match.
func findText(raw []byte, matches func(text []byte) bool) (path string, found bool) {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return "", false
	}
	return findString(raw, func(s jsonString) bool { return matches(s.raw) })
}

// HasLoneSurrogate reports whether a string of JSON or GraphQL, as it was sent, contains an escape
// of one half of a surrogate pair without the other half (RFC 8259 section 7).
func HasLoneSurrogate(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // an escaped backslash starts no escape
		switch {
		case isEscapeOf(text[i:], '8', 'b') && i+5 < len(text) && text[i+5] == '\\' && isEscapeOf(text[i+6:], 'c', 'f'):
			i += 10
		case isEscapeOf(text[i:], '8', 'f'):
			return true
		}
	}
	return false
}

// isEscapeOf reports whether b begins with uDXxx, where X is a hexadecimal digit from low to
// high.
func isEscapeOf(b []byte, low, high byte) bool {
	return len(b) >= 5 && b[0] == 'u' && b[1]|0x20 == 'd' && low <= b[2]|0x20 && b[2]|0x20 <= high
}

// hasNUL reports whether a JSON string has an escape of NUL, which Postgres cannot store.
func hasNUL(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++
		if bytes.HasPrefix(text[i:], []byte("u0000")) {
			return true
		}
	}
	return false
}

// Deref returns what p points at, or the zero value for nil: an optional input that was omitted.
func Deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
