/** A team with a name; without one, where the caller does not see it. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly isOwners: boolean;
}

/** What a team may do with a workspace. */
export const levels = [
  ['read', 'Read', 'sees runs, variables and states'],
  ['plan', 'Plan', 'starts runs that plan'],
  ['write', 'Write', 'applies runs, writes variables and states, locks'],
  ['admin', 'Administer', 'changes settings and teams, unlocks by force, deletes'],
] as const;

export const levelWord = (access: string): string =>
  levels.find(([level]) => level === access)?.[1] ?? (access === 'custom' ? 'Custom' : access);
