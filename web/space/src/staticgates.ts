// The seven static gates of a hub, by their index.

const ids = [
  '9769e4b4-e5d9-4286-9353-c2c66b158347',
  '1aef8fd4-6447-4e04-969a-4669c11dd52e',
  '75f16b87-5314-4cdf-a8d5-bb2a8292b687',
  '608f2483-802b-4fa7-95bb-920bed1431ad',
  'fcc35518-309c-47e1-8d93-d939d6bca475',
  '404c7fe3-26f1-4fb6-bac7-a50bf1f3cb1a',
  'b9a67fa0-00ce-401d-94c2-4045c4aaec35',
];

const walls = ['leftWall', 'leftWall', 'frontWall', 'frontWall', 'frontWall', 'rightWall', 'rightWall'] as const;

/** Returns the index of a static gate; -1 for other entities. */
export function staticGateIndex(entityId: string): number {
  return ids.indexOf(entityId);
}

/** Returns the number of a static gate and the message of its wall, as seen from the entrance; null for other entities. */
export function staticGate(entityId: string): { number: number; wall: (typeof walls)[number] } | null {
  const index = staticGateIndex(entityId);
  const wall = walls[index];
  return wall ? { number: index + 1, wall } : null;
}
