import type { TableNotes } from '../note.ts';

export const sync: TableNotes = {
  associations: {
    about: `An association links a secret to a destination. It is *dirty* while \`generation > observed_generation\`: that is the
      outbox. Every relevant change adds one to \`generation\` in its own transaction; the worker that has brought the external system in
      line with generation n sets \`observed_generation = n\`. A crash between any two steps leaves the row dirty, and the sweep queues it
      again.`,
    columns: {
      type: 'The type of the destination, which decides on the queue.',
      granularity: 'As it was when the secret was last associated, like template and adopt.',
      forced_generation: 'Objects that look unchanged are pushed too while this is greater than `observed_generation`.',
      claimed_by: 'The claim of the worker that is processing it.',
      unconfirmed_at:
        'When a call with an unknown outcome may last have been in flight; null: no such call is remembered.',
      recheck_at:
        'When the destination is checked again because of such a call; null: the association has to be in line first.',
      rechecks: 'Rechecks that were done since.',
      recheck_generation:
        'The objects are looked at again, also those that look unchanged, while this is greater than `observed_generation`.',
      drift:
        'How the objects differ from what the last sync left: `deleted`, `changed`, `tags`, `foreign`; null: not that we know.',
      drift_at: 'When a look last saw the drift.',
      verify_generation:
        'Objects that were looked at not long ago are looked at too while this is greater than `observed_generation`.',
      rule_id: 'The standing rule that made it; null: a request did.',
      planned_generation: 'When it is `generation`, a worker does what the applied plan says, or nothing.',
    },
  },
  association_counts: {
    about: `Summands of the numbers of associations, by destination, status and kind of error. Triggers on associations add rows; the sweep
      replaces them by their sums.`,
    columns: {
      kind: 'Of the error of the present attempts; empty: there is none.',
      associations: 'Without remnants.',
      dirty: 'Also remnants.',
      drifted: 'Associations with drift.',
      folded: 'It is a sum, not a single change.',
    },
  },
  destinations: {
    columns: {
      name: 'Unique in the namespace and type.',
      connection:
        "Sealed JSON object of the type's fields. Additional data: `destinations/[<namespace_id>/]<type>/<name>`, without the id for the root.",
      template: "Null: the type's default.",
      adopt: 'Take over objects of the same name that others have written.',
      disabled: 'Paused, unless `disabled_until` has passed.',
      disabled_until: 'When the pause ends by itself; null: it lasts until a request ends it.',
      resumed_at: 'When a request last ended a pause.',
      rate_group:
        'Destinations of one type and namespace with the same one share a rate; null: those that the provider counts together do.',
      on_drift: 'What a look does with drift: `report`, `repair`; `off`: there are no looks.',
      revision: 'Grows with each change, so that a worker knows when its open driver is outdated.',
    },
    json: { custom_tags: 'textMap' },
  },
  destination_drift: {
    about: 'Looks for drift at a destination.',
    columns: {
      due_at: 'When its next look, or the rest of the present one, may begin.',
      turned_at: 'When it last had its turn; namespaces take turns by it.',
      leased_by: 'The process that is looking at it.',
      began_at: 'When the present look began; null: none has begun.',
      pages: 'Pages of the list that the present look has read.',
      list_after: "Where the list continues, in the system's words; null: at its beginning.",
      rest_after: 'Null while pages are read; then the key of the last name that was looked at by itself.',
      unseen: 'Objects that the present look was not allowed to see.',
      checked_at: 'When the last complete look ended.',
      checked_unseen: 'Objects that the last complete look was not allowed to see.',
      error: 'Why the last look ended early; null: it did not.',
    },
  },
  destination_results: {
    about: 'What the last attempts at a destination came to.',
    columns: {
      last_success_at: 'When an attempt last brought an association in line with calls; at most a second too old.',
      last_error_at: 'When an attempt last failed.',
      last_error_request_id: "The destination's id of the request that failed; null: it named none.",
      done: 'Attempts since the last sample that left nothing to do.',
      failed: 'Attempts since the last sample that failed.',
      errors: 'How many of them failed with which kind of error.',
      arrived: 'Associations that became dirty since the last sample.',
    },
  },
  markings: { about: 'Changes that concern every association of a destination and mark them page by page.' },
  repo_host_apps: {
    columns: {
      name: 'Unique in the namespace.',
      private_key:
        'Sealed PEM, or JSON of it and the addresses of its host. Additional data: `repo_host_apps/[<namespace_id>/]<name>`.',
    },
  },
  sync_attempts: {
    about: 'The last attempts of associations; the sweep deletes earlier ones and those of deleted associations.',
    columns: {
      generation: 'The generation that the attempt worked on.',
      duration_ms: 'From the start of the attempt to the end of its last call.',
      calls: 'As they count against the rate of the destination, some of them by a fraction.',
      outcome: '`synced`, `unsynced`, `failed`, or `retrying` and `continued`: another attempt follows.',
      request_id: "The destination's id of the request that failed; null: it named none.",
    },
  },
  sync_batch_items: {
    about: 'An association that a batch has changed, or is to change, until its outcome is counted.',
    columns: { generation: 'The generation of the change; null: not changed yet.' },
  },
  sync_batch_secrets: { about: 'A secret that a batch is to associate with its destination.' },
  sync_batches: {
    about: `Work over many associations of a namespace. *running*: associations up to \`after_id\` are done. *settling*: all are changed,
      and the outcomes of some are outstanding. Then *done*; or *canceled*, or *failed*, which end it at once, though outcomes are still
      counted.`,
    columns: {
      action: '`replay`, `force`, `set`, `remove` or `apply`.',
      destination_id:
        'With `set`: the destination with which it associates secrets of the mount; null: it sets associations again.',
      updated_before: 'Only associations that have not changed since; null: all.',
      limit_count: 'How many associations it changes at most; null: all.',
      rate: 'How many associations it changes per second at most; null: no limit.',
      total: 'How many associations matched at the creation, counted up to a bound.',
      association_max: 'Associations with a greater id are newer than the batch.',
      marked: 'How many it has changed.',
      settle_after: 'The item whose outcome was looked for last; 0 starts from the first.',
      settled: 'How many outcomes are counted.',
      stepped_at: 'When it last changed associations, for the rate.',
    },
  },
  sync_config: {
    about: 'One row.',
    columns: {
      disabled: 'Paused, unless `disabled_until` has passed.',
      disabled_until: 'When the pause ends by itself; null: it lasts until a request ends it.',
    },
  },
  sync_sample_slots: {
    about: 'When samples were taken, for a day. A slot without a sample has no row.',
    columns: {
      slot: 'The begin of the ten seconds in which the sample was taken.',
      pending: 'Operations in the queue, of all namespaces; null: Redis was unavailable.',
      capacity: 'How many the queue took.',
      summed: 'The sums have this sample; false: a sweep of an earlier release took it.',
    },
  },
  sync_samples: {
    about: 'The numbers of destinations that had any when a sample was taken.',
    columns: {
      name: 'Empty: the sum over further destinations of the type.',
      pending: 'Associations with a change that is not synced; estimated when there are very many.',
      oldest_seconds: 'The age of the oldest of these changes; null: there is none.',
      done: 'Attempts since the sample before that left nothing to do.',
      failed: 'Attempts since the sample before that failed.',
      errors: 'How many of them failed with which kind of error.',
      arrived:
        'Associations that became dirty since the sample before; null: a sweep of an earlier release took the sample.',
    },
  },
  sync_sample_spans: {
    about: 'The samples of five minutes as one row for each destination.',
    columns: {
      slot: 'The begin of the five minutes.',
      name: 'Empty: the sum over further destinations of the type.',
      pending: 'The greatest number of the samples.',
      oldest_seconds: 'The greatest age of the samples; null: there was none.',
      done: 'Attempts that left nothing to do.',
      failed: 'Attempts that failed.',
      errors: 'How many of them failed with which kind of error.',
      arrived: 'Associations that became dirty; null: sweeps of an earlier release took all of the samples.',
    },
  },
  sync_sample_sums: {
    about:
      'The samples of a slot, and of a span of five minutes, as one row for each type; and those of an hour as one for each destination.',
    columns: {
      seconds: '10, 300 or 3,600.',
      slot: 'The begin of the time.',
      name: 'Of the destination; empty: the sum over all of the type.',
      pending: 'The greatest number of the samples.',
      oldest_seconds: 'The greatest age of the samples; null: there was none.',
      done: 'Attempts that left nothing to do.',
      failed: 'Attempts that failed.',
      arrived: 'Associations that became dirty.',
      errors: 'How many attempts failed with which kind of error.',
    },
  },
  sync_objects: {
    about: `An object at a destination that we wrote, or are about to write (\`written_at\` null). Only these are removed. A removed one
      stays as a tombstone (\`removed_at\`) while a late write may bring it back.`,
    columns: {
      name_key: 'The name as the remote compares names; unique in a destination.',
      written_at: 'When it was last written, or looked at and found unchanged.',
      fingerprint: 'Keyed hash of the value and tags.',
    },
  },
  sync_rule_destinations: { about: 'Where a standing rule sends what it selects.' },
  sync_rule_work: {
    about:
      'A secret that was made, described anew or deleted in a mount with standing rules, until the sweep has looked at it.',
  },
  sync_plan_destinations: {
    about: 'A destination of a kept plan, as it was when it was planned.',
    columns: {
      revision: 'Of its settings: when it has changed, the plan is not applied.',
      granularity:
        'With it and the template, associations are set again when the plan is applied; null: they stay as they are.',
    },
  },
  sync_plan_items: {
    about: 'An association for which a kept plan has something to do.',
    columns: {
      generation: 'When it was planned: once it has changed, the plan is not applied.',
      actions: 'What to do with which object of the destination; no values.',
      applied_generation: 'The generation that applies it; null: not applied.',
    },
  },
  sync_plans: {
    about: 'A kept plan, which can be applied once until it expires.',
    columns: {
      items: 'How many associations it has something to do for.',
      batch_id: 'The batch that applies it.',
    },
  },
  sync_rules: {
    about: `A standing rule associates the secrets that it selects as they are written. *active*; *suspended*: its owner may not read or
      associate what it selects, so it changes nothing; *deleting*: its associations are ended, or kept, and then it is deleted.`,
    columns: {
      name: 'Unique in the namespace.',
      mount_path: 'As it was when the rule was stored; a moved mount keeps its id.',
      glob: 'Pattern of the paths below the mount; null: all.',
      custom_metadata: 'Pairs that the custom metadata of a secret must have.',
      granularity: 'Null: that of the destination, like the template.',
      owner: 'Who stored the rule: its namespace, policies and entity.',
      revision: 'Grows each time the rule is stored.',
      reason: 'Why it is suspended.',
      denied_secret: 'A secret that its owner may not read; the rule is resumed when that changes.',
      keeps: 'While it is deleted: its associations stay.',
      renews: 'The walk also sets associations again whose template, granularity or adopt differs.',
      walk: '`held`: its associations are looked at; `secrets`: all secrets of the mount; null: only what is noted.',
      walk_secret: 'The walk has come this far in the mount `walk_mount`.',
      walked: 'Secrets that the walk has looked at.',
      total: 'Secrets that there were to look at when the rule was stored, counted up to a bound.',
      walked_at: 'When a walk last came to its end.',
      turned_at: 'When the sweep last looked at it.',
    },
    json: { custom_metadata: 'textMap' },
  },
};
