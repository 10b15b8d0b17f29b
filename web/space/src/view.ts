// A view of the space as a fragment of the page's address, so that a link leads to it.

export type Mode = 'walk' | 'fly' | 'orbit';

export interface View {
  mode: Mode;
  /** The place of the eye in metres. */
  eye: [number, number, number];
  /** Degrees: yaw grows to the left, pitch grows upwards. */
  yaw: number;
  pitch: number;
  /** The distance to the point that orbiting turns around. */
  distance: number;
}

const modes: readonly string[] = ['walk', 'fly', 'orbit'];

/** Returns the fragment of a view, such as #view=walk,0.5,1.6,-2,90,0,4. */
export function viewFragment(view: View): string {
  const numbers = [...view.eye, view.yaw, view.pitch, view.distance];
  return `#view=${[view.mode, ...numbers.map((n) => String(Math.round(n * 1000) / 1000))].join(',')}`;
}

/** Reads the view of a fragment; null where it has none. */
export function readView(fragment: string): View | null {
  const [mode, ...numbers] = fragment.replace(/^#view=/, '').split(',');
  const [x, y, z, yaw, pitch, distance] = numbers.map(Number);
  const complete = [x, y, z, yaw, pitch, distance].every((n) => n !== undefined && Math.abs(n) < 1e6);
  if (!fragment.startsWith('#view=') || numbers.length !== 6 || !modes.includes(mode ?? '') || !complete) return null;
  return {
    mode: mode as Mode,
    eye: [x!, y!, z!],
    yaw: yaw!,
    pitch: Math.max(-89, Math.min(89, pitch!)),
    distance: Math.max(0.1, distance!),
  };
}
