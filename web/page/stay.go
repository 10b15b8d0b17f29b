package page

import (
	"encoding/json"
	"net/http"

	"portico/model"
)

// maxStay is the maximum size of a report in bytes.
const maxStay = 16 << 10

// recordStay handles POST /{spaceId}: the page of a space, also in a frame, reports a stay when its visitor
// leaves. It is the address of the page, because browsers send the cookies of share links there. Nobody
// reads the response. It counts nothing of a robot, and nothing of a visitor who asks not to be tracked.
func (p *Pages) recordStay(w http.ResponseWriter, r *request) error {
	if model.MayCountVisit(r.Header) {
		var stay model.Stay
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxStay)).Decode(&stay); err != nil {
			return model.Invalidf("The report is not valid")
		}
		stay.SpaceID = r.PathValue("id")
		if err := p.mutations.RecordStay(r.Context(), stay); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
