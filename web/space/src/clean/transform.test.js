import { Mat4, Quat, Vec3 } from 'playcanvas';
import { describe, expect, it } from 'vitest';
import { cleanUp, toFloor, uniformScale } from './transform.ts';

const halfTurn = new Mat4().setFromEulerAngles(0, 0, 180);

const about = (axis, degrees) => new Quat().setFromAxisAngle(axis, degrees);

/** Returns a function that does with a point of the file what the server does; null where a filter removes it. */
function server(edits) {
  return (point) =>
    edits.reduce((place, edit) => {
      if (!place) return null;
      if (edit.rotate) {
        const [x, y, z] = edit.rotate;
        return [about(Vec3.RIGHT, x), about(Vec3.UP, y), about(Vec3.BACK, z)].reduce((one, turn) => turn.transformVector(one), place);
      }
      if (edit.translate) return place.clone().add(new Vec3(...edit.translate));
      if (edit.filterSphere) return place.distance(new Vec3(...edit.filterSphere.center)) <= edit.filterSphere.radius ? place : null;
      if (!edit.filterBox) return place;
      const { min, max } = edit.filterBox;
      return [place.x, place.y, place.z].every((value, i) => value >= min[i] && value <= max[i]) ? place : null;
    }, point.clone());
}

const placement = (position, rotation, scale) =>
  new Mat4().setTRS(new Vec3(...position), new Quat().setFromEulerAngles(...rotation), new Vec3(scale, scale, scale));
const plain = { shape: 'all', position: new Vec3(), rotation: new Quat(), size: new Vec3(1, 1, 1) };
const near = (got, want) => expect(got.distance(want), `got ${got}, want ${want}`).toBeLessThan(2e-4);

/** The places of points in the space, before with the turn of the preview, and with the new file and placement. */
function compare(input, points) {
  const { edits, placement: after } = cleanUp(input);
  const before = input.isYUp ? input.placement : new Mat4().mul2(input.placement, halfTurn);
  const shown = input.turn ? new Mat4().mul2(input.turn, before) : before;
  const scale = uniformScale(input.placement);
  const made = after
    ? placement([after.position.x, after.position.y, after.position.z], [after.rotation.x, after.rotation.y, after.rotation.z], scale)
    : input.placement;
  const toSpace = new Mat4().mul2(made, halfTurn);
  const act = server(edits);
  return points.map((point) => {
    const kept = act(point);
    return { before: shown.transformPoint(point), after: kept && toSpace.transformPoint(kept), file: kept };
  });
}

const points = [new Vec3(0, 0, 0), new Vec3(1, 2, 3), new Vec3(-2, 0.5, 1), new Vec3(0.3, -1, -4)];
const tilted = placement([3, 1, -2], [25, 40, 160], 2);
const turn = toFloor([new Vec3(0, 1, 0), new Vec3(4, 1.5, 0), new Vec3(0, 1.3, 5)], new Vec3(1, 4, 1));

describe('cleanUp', () => {
  for (const isYUp of [false, true]) {
    for (const [name, change] of Object.entries({
      nothing: {},
      'an origin': { origin: new Vec3(4, 2, 1) },
      'a floor': { turn },
      both: { turn, origin: new Vec3(1, 0, 2) },
    })) {
      it(`leaves everything where the preview shows it: ${name}, ${isYUp ? 'glTF' : 'PLY'}`, () => {
        const input = { placement: tilted, isYUp, turn: null, crop: plain, floaters: false, origin: null, ...change };
        for (const one of compare(input, points)) near(one.after, one.before);
      });
    }
  }

  it('makes the place that was chosen the origin of the file', () => {
    const origin = new Vec3(4, 2, 1);
    const local = new Mat4().mul2(tilted, halfTurn).invert().transformPoint(origin);
    near(server(cleanUp({ placement: tilted, isYUp: false, turn: null, crop: plain, floaters: false, origin }).edits)(local), new Vec3());
  });

  it('stands the file upright on a floor at height 0', () => {
    const input = { placement: tilted, isYUp: false, turn, crop: plain, floaters: false, origin: null };
    const [one, other] = compare(input, points);
    expect(other.file.y - one.file.y).toBeCloseTo((other.before.y - one.before.y) / 2, 4);
    expect(one.file.y).toBeCloseTo(one.before.y / 2, 4);
    expect(cleanUp(input).placement.position.y).toBeCloseTo(0, 4);
  });

  it('keeps what is in a box that is turned in the space, and in a ball', () => {
    const box = { shape: 'box', position: new Vec3(2, 0, -3), rotation: new Quat().setFromEulerAngles(10, 30, 5), size: new Vec3(9, 7, 5) };
    const cloud = Array.from({ length: 400 }, (_, i) => new Vec3(Math.sin(i) * 4, Math.sin(i * 1.7) * 4, Math.sin(i * 2.3) * 4));
    for (const change of [null, turn]) {
      for (const crop of [box, { ...box, shape: 'sphere', size: new Vec3(8, 8, 8) }]) {
        const toBox = new Mat4().setTRS(crop.position, crop.rotation, crop.size).invert();
        const seen = compare({ placement: tilted, isYUp: false, turn: change, crop, floaters: true, origin: null }, cloud);
        const inside = seen.map(({ before }) => {
          const { x, y, z } = toBox.transformPoint(before);
          return crop.shape === 'box' ? Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) <= 0.5 : Math.hypot(x, y, z) <= 0.5;
        });
        expect(seen.map(({ after }) => after !== null)).toEqual(inside);
        expect(new Set(inside).size).toBe(2);
        for (const one of seen) if (one.after) near(one.after, one.before);
      }
    }
  });

  it('does no more than is asked for', () => {
    const level = placement([0, 0, 0], [0, 0, 180], 1);
    const crop = { ...plain, shape: 'box', size: new Vec3(2, 2, 2) };
    const { edits, placement: after } = cleanUp({ placement: level, isYUp: false, turn: null, crop, floaters: true, origin: null });
    expect(edits).toEqual([{ filterBox: { min: [-1, -1, -1], max: [1, 1, 1] } }, { filterFloaters: { size: 0.05 } }]);
    expect(after).toBeNull();
  });
});

describe('uniformScale', () => {
  it('is none for a capture that is stretched or mirrored', () => {
    expect(uniformScale(placement([1, 2, 3], [10, 20, 30], 2))).toBeCloseTo(2, 5);
    expect(uniformScale(new Mat4().setScale(1, 2, 1))).toBeNull();
    expect(uniformScale(new Mat4().setScale(-1, 1, 1))).toBeNull();
  });
});

describe('toFloor', () => {
  it('brings the plane to the ground, with the eye above it', () => {
    const places = [new Vec3(0, 1, 0), new Vec3(4, 1.5, 0), new Vec3(0, 1.3, 5)];
    for (const place of places) expect(turn.transformPoint(place).y).toBeCloseTo(0, 4);
    expect(turn.transformPoint(new Vec3(1, 4, 1)).y).toBeGreaterThan(2);
  });

  it('is none for places in one line', () => {
    expect(toFloor([new Vec3(0, 0, 0), new Vec3(1, 0, 0), new Vec3(2, 0, 0.001)], new Vec3(0, 2, 0))).toBeNull();
    expect(toFloor([new Vec3(), new Vec3(), new Vec3()], new Vec3(0, 2, 0))).toBeNull();
  });
});
