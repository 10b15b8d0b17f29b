package settings

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"portico/web/style"
)

// BrandColour is a colour that can be read on the pages.
type BrandColour style.Colour

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *BrandColour) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	colour, err := style.ParseColour(string(text))
	*c = BrandColour(colour)
	return err
}

// The maximum numbers of characters of the texts of a brand.
const (
	maxBrandName = 40
	maxBrandText = 300
)

// checkBrand checks the texts and addresses of the brand. Brand reads the logo.
func (c *Config) checkBrand() error {
	for _, text := range []struct {
		variable, value string
		limit           int
	}{
		{"PORTICO_BRAND_NAME", c.BrandName, maxBrandName}, {"PORTICO_BRAND_TITLE", c.BrandTitle, maxBrandText}, {"PORTICO_BRAND_TEXT", c.BrandText, maxBrandText},
	} {
		if utf8.RuneCountInString(text.value) > text.limit {
			return fmt.Errorf("%s: has more than %d characters", text.variable, text.limit)
		}
		if !utf8.ValidString(text.value) || strings.ContainsFunc(text.value, unicode.IsControl) {
			return fmt.Errorf("%s: must be one line of text", text.variable)
		}
	}
	for variable, address := range map[string]string{"PORTICO_IMPRINT_URL": c.ImprintURL, "PORTICO_PRIVACY_URL": c.PrivacyURL} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
			return fmt.Errorf("%s: %q is not an address such as https://example.com/imprint", variable, address)
		}
	}
	return nil
}

// Brand returns how the server calls itself and looks. It reads the logo.
func (c *Config) Brand() (style.Brand, error) {
	brand := style.Brand{
		Name: strings.TrimSpace(c.BrandName), Colour: style.Colour(c.BrandColour), Title: c.BrandTitle, Text: c.BrandText,
		Imprint: c.ImprintURL, Privacy: c.PrivacyURL,
	}
	if c.BrandLogo == "" {
		return brand, nil
	}
	var err error
	if brand.Logo, err = style.ReadLogo(c.BrandLogo); err != nil {
		return style.Brand{}, fmt.Errorf("PORTICO_BRAND_LOGO: %w", err)
	}
	return brand, nil
}
