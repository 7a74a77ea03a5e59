/** Lines of icons in a square of 24. */
const lines = {
  alert: 'M12 8v5m0 3v.01M10.3 3.9 2.4 17.6A2 2 0 0 0 4.1 20.6h15.8a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  arrow: 'm9 6 6 6-6 6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  close: 'M6 6l12 12M18 6 6 18',
  cloud: 'M7 18a4.5 4.5 0 0 1-.5-9A6 6 0 0 1 18 8.5 4.8 4.8 0 0 1 17.5 18H7Z',
  code: 'm8.5 7-5 5 5 5m7-10 5 5-5 5',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  cross: 'M15 9l-6 6m0-6 6 6m6-3a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  dash: 'M8 12h8m5 0a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  done: 'm8.5 12 2.5 2.5 4.5-5m5.5 2.5a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Zm12 0a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z',
  folder: 'M3.5 6.5h6l2 2.5h9v9.5h-17z',
  gear: 'M15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM12 3v3m0 12v3M3 12h3m12 0h3M5.6 5.6l2.2 2.2m8.4 8.4 2.2 2.2m0-12.8-2.2 2.2m-8.4 8.4-2.2 2.2',
  home: 'M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1v-8Z',
  key: 'M14 10a4 4 0 1 1-8 0 4 4 0 0 1 8 0Zm-1.2 2.8L20 20m-3-3 2-2',
  layers: 'm12 3 9 5-9 5-9-5 9-5Zm-9 9.5 9 5 9-5',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  moon: 'M20 14.5A8.5 8.5 0 1 1 9.5 4a6.6 6.6 0 0 0 10.5 10.5Z',
  minus: 'M5 12h14',
  pause: 'M9 6v12M15 6v12',
  person: 'M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM4.5 20.5a7.5 7.5 0 0 1 15 0',
  play: 'M8 5.5v13l10.5-6.5L8 5.5Z',
  plus: 'M12 5v14M5 12h14',
  question: 'M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.9-1.1 1.8m0 3v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  rows: 'M4 6h16M4 12h16M4 18h16',
  search: 'm20 20-4.5-4.5m2-5a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z',
  spin: 'M20 12a8 8 0 1 1-2.4-5.7M20 3v4.5h-4.5',
  squares: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  stack: 'M4 5h16v4H4zM4 10h16v4H4zM4 15h16v4H4z',
  sun: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Zm-4-9v2m0 14v2M3 12h2m14 0h2M5.6 5.6 7 7m10 10 1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4',
  target: 'M12 3v3m0 12v3M3 12h3m12 0h3m-4 0a5 5 0 1 1-10 0 5 5 0 0 1 10 0Z',
} as const;

export type IconName = keyof typeof lines;

/** Beside a word, so readers of the screen skip it. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path d={lines[name]} />
  </svg>
);
