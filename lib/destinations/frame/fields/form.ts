/** The parts of a form, in their order, with their labels. */
export const groups = {
  target: 'Target',
  credentials: 'Credentials',
  objects: 'Objects',
  names: 'Names',
  pause: 'Pause',
  addresses: 'Addresses',
  network: 'Network access',
} as const;

export type Group = keyof typeof groups;

/** What forms show of a field beside its description. Fields of a group are shown in the order of the definition. */
export const form = (label: string, group: Group) => ({ label, group });
