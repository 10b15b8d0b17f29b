package mail

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"portico/model"
)

//go:embed texts
var texts embed.FS

// compose returns the subject and the text of a mail. The first line of each file is the subject.
// In the texts, the name of the server replaces Portico, and {address}, {host} and {link} are replaced.
func compose(mail model.Mail, link, name string) (subject, body string, err error) {
	text, err := texts.ReadFile(fmt.Sprintf("texts/%s.%s.txt", mail.Kind, mail.Language))
	if err != nil {
		return "", "", fmt.Errorf("text of a mail: %w", err)
	}
	subject, body, _ = strings.Cut(string(text), "\n")
	subject = strings.ReplaceAll(subject, "Portico", cmp.Or(name, "Portico"))
	return subject, strings.NewReplacer("Portico", cmp.Or(name, "Portico"), "{address}", mail.To, "{host}", mail.Host, "{link}", link).Replace(strings.TrimLeft(body, "\n")), nil
}
