package graph

import (
	"context"

	"portico/db"
	"portico/model"
)

// mergeStaticGate merges into a static gate. Clients can neither create nor restore one: a hub
// is created with all of them (API section 2, Static gates).
func (r *Resolver) mergeStaticGate(ctx context.Context, in model.CreateEntity) (*model.CreatedEntity, error) {
	if in.EntityID == nil || (in.Type != nil && *in.Type != model.TypeGate) {
		return nil, gateNotCreatable()
	}
	result, err := r.mergeCreation(ctx, in, model.TypeGate)
	// The client wanted to create a gate: 404 would not explain the refusal.
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, gateNotCreatable()
	}
	return result, err
}

func gateNotCreatable() error {
	return model.Invalidf(model.GateNotCreatable).WithField("entity_type").WithReason(model.ReasonGateInvalid)
}

func gateTypeFixed() error { return model.Invalidf(model.GateTypeFixed).WithField("entity_type") }

// putDynamicGate puts a dynamic gate. It first tries to add the gate, because the defaults,
// including the defaults of its file, are for new gates only. A gate with a file stays a gate: its
// type does not depend on what it shows.
//
// The outcomes:
//
//	new id, valid data             created
//	new id, invalid data           the refusal of the data
//	taken id, valid when merged    updated, without the defaults of a new gate
//	taken id of another entity     refused: no entity becomes a gate
func (r *Resolver) putDynamicGate(ctx context.Context, in model.CreateEntity, file *model.File) (*model.CreatedEntity, error) {
	gate := in.Entity(file)
	invalid := completeDynamicGate(gate)
	merge := func() (*model.CreatedEntity, error) {
		return r.mergeCreation(ctx, in, model.TypeDynamicGate)
	}
	if invalid == nil {
		return r.addOr(ctx, gate, merge)
	}
	if in.EntityID == nil {
		return nil, invalid
	}
	// Data that is invalid for a new gate may be valid when it is merged into the existing gate.
	result, err := merge()
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, invalid
	}
	return result, err
}

// completeDynamicGate makes a new entity a dynamic gate with the defaults, and refuses invalid data.
func completeDynamicGate(entity *model.Entity) error {
	entity.Type, entity.Data = model.TypeDynamicGate, model.CompleteGate(entity.Data)
	return model.ValidateGate(entity.Type, entity.Data)
}

// mergeCreation merges the input of CreateEntity into the entity that has its id: see mergeEntity.
func (r *Resolver) mergeCreation(ctx context.Context, in model.CreateEntity, wantType string) (*model.CreatedEntity, error) {
	entity, err := r.mergeEntity(ctx, in.AsUpdate(), wantType)
	if err != nil {
		return nil, err
	}
	return &model.CreatedEntity{Entity: entity}, nil
}

// mergeEntity merges fields into the data of any entity. If it is a gate and the result breaks the
// rules of gates, the transaction leaves it unchanged. The entity must have wantType unless that is
// empty.
//
// The merge happens in SQL, and the rules are checked on its result, because two requests that are
// both valid may be invalid together.
func (r *Resolver) mergeEntity(ctx context.Context, in model.UpdateEntity, wantType string) (*model.Entity, error) {
	var entity *model.Entity
	// A link without a platform gets the platform of the link. Otherwise every change from a space
	// to a URL would be refused.
	in.Data = model.FillPlatform(in.Data.OrEmpty())
	err := r.db.InTx(ctx, func(tx *db.DB) (err error) {
		if _, err := lockEditableSpace(ctx, tx, in.SpaceID); err != nil {
			return err
		}
		entity, err = tx.Entities().MergeEntity(ctx, in)
		switch {
		case err != nil:
			return err
		case entity == nil:
			return model.NotFound(model.EntityNotFound)
		case wantType != "" && entity.Type != wantType:
			return gateTypeFixed()
		case !entity.IsGate(): // another request has replaced the gate by now
			return nil
		}
		return model.ValidateGate(entity.Type, entity.Data)
	})
	if err != nil {
		return nil, err
	}
	return entity, nil
}
