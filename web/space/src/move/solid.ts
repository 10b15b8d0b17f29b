// What visitors bump into, as boxes along the axes of the space.

export interface Box {
  min: [number, number, number];
  max: [number, number, number];
}

export interface Solid {
  /** Calls visit with each box that overlaps the region. */
  visitBoxes(region: Box, visit: (box: Box) => void): void;
  /** The box around all. */
  bounds(): Box;
}

export function overlap(a: Box, b: Box): boolean {
  return (
    a.min[0] < b.max[0] && a.max[0] > b.min[0] && a.min[1] < b.max[1] && a.max[1] > b.min[1] && a.min[2] < b.max[2] && a.max[2] > b.min[2]
  );
}

/** A list of boxes, such as the walls of a room. */
export class Boxes implements Solid {
  private readonly boxes: readonly Box[];

  constructor(boxes: readonly Box[]) {
    this.boxes = boxes;
  }

  visitBoxes(region: Box, visit: (box: Box) => void): void {
    for (const box of this.boxes) if (overlap(box, region)) visit(box);
  }

  bounds(): Box {
    return union(this.boxes);
  }
}

export function union(boxes: readonly Box[]): Box {
  const all: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  for (const box of boxes) {
    for (const axis of [0, 1, 2] as const) {
      all.min[axis] = Math.min(all.min[axis], box.min[axis]);
      all.max[axis] = Math.max(all.max[axis], box.max[axis]);
    }
  }
  return all;
}
