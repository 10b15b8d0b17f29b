package rest

import (
	"encoding/json"
	"strings"
	"testing"

	"portico/model"
)

// A client that sends what it knows of the files overwrites nobody's work.
func TestChangeSet_refuses_files_that_are_not_as_expected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{'title':'Mill'}`)
	put := func(expected string) response {
		return w.change(w.alice, id, "", `{'puts':[{'path':'space/entities/chair.json','content':'{\'type\':\'Simple\',\'data\':{}}'}],
			'deletes':['space/entities/table.json'],'expected':[`+expected+`]}`)
	}
	put(`{'path':'space/entities/chair.json'},{'path':'space/entities/table.json'},{'path':'space/assets/a.png'}`).status2xx()
	var manifest struct{ Entities []struct{ ID, SHA string } }
	check(t, json.Unmarshal([]byte(w.pulled(w.alice, id)[model.ManifestFile]), &manifest))
	sums := map[string]string{}
	for _, entity := range manifest.Entities {
		sums[entity.ID] = entity.SHA
	}
	known := `{'path':'space/entities/chair.json','sha256':'` + sums["chair"] + `'}`
	put(known).status2xx()
	refusal := `{'status':'error','message':'The space has changed since it was read: %','conflicts':['%']}`
	for sent, path := range map[string]string{
		`{'path':'space/entities/chair.json'}`:                                  "space/entities/chair.json",
		`{'path':'space/entities/table.json','sha256':'` + sums["chair"] + `'}`: "space/entities/table.json",
		`{'path':'space/room.json','sha256':'00'}`:                              "space/room.json",
		`{'path':'space/assets/a.png','sha256':'` + sums["chair"] + `'}`:        "space/assets/a.png",
	} {
		put(known+","+sent).want(409, strings.ReplaceAll(refusal, "%", path))
	}
	put(`{'path':'../x'}`).want(422, `{'status':'error','message':'../x: The path must be relative, without empty, . and .. parts',`+
		`'validationErrors':[{'file':'../x','message':'The path must be relative, without empty, . and .. parts'}]}`)
	w.call(w.alice, "PUT", "/v1/spaces/"+id+"/entities/chair", `{"entity_data":{"a":1}}`).status2xx()
	put(known).want(409, strings.ReplaceAll(refusal, "%", "space/entities/chair.json"))
}
