// The icons of the editor, as lines on a square of 24.

export const editIcons = {
  position: 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3',
  rotation: 'M20 11a8 8 0 1 0-2.3 6.7M20 5v6h-6',
  scale: 'M4 14v6h6M20 10V4h-6M4 20l7-7M20 4l-7 7',
  undo: 'M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3',
  redo: 'm16 5 4 4-4 4M20 9H10a5 5 0 0 0 0 10h3',
  ground: 'M12 3v11M7.5 9.5 12 14l4.5-4.5M4 19h16',
  look: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  duplicate: 'M9 9h11v11H9zM15 9V4H4v11h5',
  add: 'M12 16V4M7.5 8.5 12 4l4.5 4.5M4 15v5h16v-5',
  gate: 'M5 20v-9a7 7 0 0 1 14 0v9M9 20v-8.5a3 3 0 0 1 6 0V20M3 20h18',
  annotation: 'M12 21s-6.5-6-6.5-11a6.5 6.5 0 0 1 13 0c0 5-6.5 11-6.5 11zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  tour: 'M5 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM19 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 17h8a3.5 3.5 0 0 0 0-7H9a3 3 0 0 1 0-6h3',
  delete: 'M4 7h16M10 11v6M14 11v6M6 7l1 13h10l1-13M9 7V4h6v3',
} as const;

export type EditIcon = keyof typeof editIcons;
