package graph_test

import (
	"testing"

	"portico/model"
)

func TestRunsPlugins_for_visitors_only_if_the_owner_allows_them(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, privacy := range []model.Privacy{model.Public, model.LinkOnly, model.Private} {
		t.Run(string(privacy), func(t *testing.T) {
			t.Parallel()
			space := w.open(w.alice, privacy)
			runs := func(who account) string {
				return w.query(who, `{ space(id: "`+space.ID+`") { pluginsForVisitors runsPlugins } }`, nil)
			}
			equal(t, "the owner", runs(w.alice), `{"space":{"pluginsForVisitors":false,"runsPlugins":true}}`)
			if privacy != model.Private {
				equal(t, "a visitor", runs(w.bob), `{"space":{"pluginsForVisitors":false,"runsPlugins":false}}`)
			}
			_, err := w.Mutation().UpdateSpace(w.bob.ctx, model.UpdateSpace{SpaceID: space.ID, PluginsForVisitors: ptr(true)})
			checkError(t, err, model.CodeForbidden, "")
			const allow = `mutation($id: ID!) { updateSpace(input: {spaceId: $id, pluginsForVisitors: true}) { space { runsPlugins } } }`
			w.query(w.alice, allow, map[string]any{"id": space.ID})
			if privacy != model.Private {
				equal(t, "a visitor, allowed", runs(w.bob), `{"space":{"pluginsForVisitors":true,"runsPlugins":true}}`)
			}
			// Another change keeps the switch.
			got, err := w.Mutation().UpdateSpace(w.alice.ctx, model.UpdateSpace{SpaceID: space.ID, SpaceTextInput: model.SpaceTextInput{Title: ptr("New")}})
			check(t, err)
			equal(t, "plugins for visitors", got.PluginsForVisitors, true)
		})
	}
}
