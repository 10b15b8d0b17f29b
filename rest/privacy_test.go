package rest

import (
	"testing"

	"portico/graph/view"
	"portico/model"
)

func TestUpdatePrivacy_says_what_the_table_says(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hers, his := w.space(w.alice, `{}`), w.space(w.bob, `{}`)
	const done = "Space privacy updated"
	for _, c := range []struct {
		name, body string
		who        account
		status     int
		want       string
	}{
		{"Public", `{'spaceId':'` + hers + `','roomPrivacy':'Public'}`, w.alice, 200, done},
		{"Public, telling the followers", `{'spaceId':'` + hers + `','roomPrivacy':'Public','informFollowers':true}`, w.alice, 200, done},
		{"Public, not telling them", `{'spaceId':'` + hers + `','roomPrivacy':'Public','informFollowers':null}`, w.alice, 200, done},
		{"Private", `{'spaceId':'` + hers + `','roomPrivacy':'Private'}`, w.alice, 200, done},
		{"Link Only for a Pro user", `{'spaceId':'` + hers + `','roomPrivacy':'Link Only'}`, w.alice, 200, done},
		{"Link Only for another", `{'spaceId':'` + his + `','roomPrivacy':'Link Only'}`, w.bob, 400,
			"You need to be a Pro user to set a space to Link Only"},
		{"a word of other routes", `{'spaceId':'` + hers + `','roomPrivacy':'Open'}`, w.alice, 400, "Invalid privacy option"},
		{"another case", `{'spaceId':'` + hers + `','roomPrivacy':'public'}`, w.alice, 400, "Invalid privacy option"},
		{"nothing", `{'spaceId':'` + hers + `','roomPrivacy':''}`, w.alice, 400, "Invalid privacy option"},
		{"no field", `{'spaceId':'` + hers + `'}`, w.alice, 400, "Invalid privacy option"},
		{"null", `{'spaceId':'` + hers + `','roomPrivacy':null}`, w.alice, 400, "Invalid privacy option"},
		{"a number", `{'spaceId':'` + hers + `','roomPrivacy':1}`, w.alice, 400, "Invalid privacy option"},
		{"a list", `{'spaceId':'` + hers + `','roomPrivacy':['Public']}`, w.alice, 400, "Invalid privacy option"},
		{"no such space before no field", `{'spaceId':'none'}`, w.alice, 404, "Space not found"},
		{"another's space before a number", `{'spaceId':'` + his + `','roomPrivacy':1}`, w.alice, 403,
			"You are not authorized to update the privacy of this space"},
		{"no such space", `{'spaceId':'none','roomPrivacy':'Public'}`, w.alice, 404, "Space not found"},
		{"no such space before no such option", `{'spaceId':'none','roomPrivacy':'Open'}`, w.alice, 404, "Space not found"},
		{"another's space", `{'spaceId':'` + his + `','roomPrivacy':'Public'}`, w.alice, 403,
			"You are not authorized to update the privacy of this space"},
		{"another's space before no such option", `{'spaceId':'` + his + `','roomPrivacy':'Open'}`, w.alice, 403,
			"You are not authorized to update the privacy of this space"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.call(c.who, "POST", "/v1/spaces/update-privacy", quotes(c.body))
			if c.status == 200 {
				got.want(200, `{'status':'ok','message':'`+c.want+`'}`)
				return
			}
			got.refused(c.status, c.want)
		})
	}
	space := read[view.Space](w.call(w.alice, "GET", "/v1/spaces/"+hers, ""), 200)
	if got, want := space.Privacy, model.PrivacyWord("Link Only"); got != want {
		t.Errorf("privacy in the end: got %s, want %s", got, want)
	}
}
