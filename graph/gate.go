package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// putStaticGate updates a static gate, which can be neither added nor restored
// (API section 2, Static gates): only the hub itself brings them along.
func (r *Resolver) putStaticGate(ctx context.Context, in model.CreateEntity) (*model.CreatedEntity, error) {
	if in.EntityID == nil || (in.Type != nil && *in.Type != model.TypeGate) {
		return nil, model.Invalidf(model.GateNotCreatable)
	}
	answer, err := updated(r.mergeGate(ctx, in.Update(), model.TypeGate))
	// This is a create for the client: 404 would tell it nothing.
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, model.Invalidf(model.GateNotCreatable)
	}
	return answer, err
}

// putDynamicGate makes a dynamic gate, or updates the one that has its id. It is
// tried as a new one first, because defaults, those of its file too, are for new
// ones only. With a file it stays a gate: what it shows is beside what it is.
func (r *Resolver) putDynamicGate(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	gate := in.Entity(file)
	gate.Type, gate.Data = model.TypeDynamicGate, model.CompleteGate(gate.Data)
	invalid := model.ValidateGate(gate.Type, gate.Data)
	if invalid == nil {
		created, err := r.DB.AddEntity(ctx, gate)
		if err != nil {
			return nil, err
		}
		if created {
			return &model.CreatedEntity{Entity: gate, Created: true}, nil
		}
	}
	if in.EntityID == nil {
		return nil, invalid
	}
	// The data may be whole only together with that of the gate which is there.
	answer, err := updated(r.mergeGate(ctx, in.Update(), model.TypeDynamicGate))
	if invalid != nil && model.CodeOf(err) == model.CodeNotFound {
		return nil, invalid
	}
	return answer, err
}

// mergeGate lays fields over the data of a gate, if the result keeps the rules
// of gates; otherwise the transaction leaves the gate as it was. wantType, unless
// empty, is what the entity must be.
func (r *Resolver) mergeGate(ctx context.Context, in model.UpdateEntity, wantType string) (*model.Entity, error) {
	var gate *model.Entity
	// A link that is sent alone brings the platform that goes with it; else every
	// change from a space to a URL would be refused.
	in.Data = model.FillPlatform(in.Data.OrEmpty())
	err := r.DB.InTx(ctx, func(tx *db.DB) (err error) {
		gate, err = tx.MergeEntity(ctx, in)
		switch {
		case err != nil:
			return err
		case gate == nil:
			return model.NotFound(model.EntityNotFound)
		case wantType != "" && gate.Type != wantType:
			return model.Invalidf("entity_type cannot be changed to or from that of a gate")
		case !gate.IsGate(): // another request has put it in the gate's place
			return nil
		}
		return model.ValidateGate(gate.Type, gate.Data)
	})
	if err != nil {
		return nil, err
	}
	return gate, nil
}
