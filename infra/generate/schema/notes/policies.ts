import type { TableNotes } from '../note.ts';

export const policies: TableNotes = {
  ws_policies: { columns: { source: 'Rego; null until it is uploaded.' } },
  ws_policy_evaluations: {
    about: 'What the policies of a workspace say of a plan.',
    columns: {
      overridable: 'Whether its failure may be overridden.',
      counts: 'Policies by their outcome.',
      next_at: 'When it is made; null: it has ended.',
    },
  },
  ws_policy_outcomes: {
    about: 'The part of one policy set in an evaluation, as the set was then.',
    columns: { outcomes: 'One for each policy.' },
  },
  ws_policy_set_exclusions: { about: 'Workspaces to which a policy set does not apply.' },
  ws_policy_set_policies: {},
  ws_policy_set_projects: {},
  ws_policy_set_workspaces: {},
  ws_policy_sets: { columns: { global: 'It applies to all workspaces of the organization.' } },
};
