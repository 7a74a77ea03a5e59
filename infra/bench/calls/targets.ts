/** The operations of an association whose calls are counted. */
export const operations = ['first push', 'change', 'unchanged', 'removal'] as const;
export type Operation = (typeof operations)[number];

/** A secret that is one object, or ten keys with an object each. */
export const shapes = ['one object', 'ten keys'] as const;
export type Shape = (typeof shapes)[number];

type Calls = Readonly<Record<Operation, number>>;

/**
 * The calls that an operation may make at most, when the driver is open and nothing looks foreign. A change of ten keys is one
 * of one of them.
 */
export const callTargets: Readonly<Record<string, Readonly<Record<Shape, Calls>>>> = {
  // A removal looks whose it is, says on the secret that it was given up, and deletes it.
  'cloud-a-sm': {
    'one object': { 'first push': 1, change: 1, unchanged: 0, removal: 3 },
    'ten keys': { 'first push': 10, change: 1, unchanged: 0, removal: 30 },
  },
  // A put overwrites whatever is there, so the first one looks; the SDK asks once whether a deletion is through.
  'cloud-b-kv': {
    'one object': { 'first push': 2, change: 1, unchanged: 0, removal: 4 },
    'ten keys': { 'first push': 20, change: 1, unchanged: 0, removal: 40 },
  },
  // A secret and its version are two calls. A removal looks whose it is.
  'cloud-c-sm': {
    'one object': { 'first push': 2, change: 1, unchanged: 0, removal: 2 },
    'ten keys': { 'first push': 20, change: 1, unchanged: 0, removal: 20 },
  },
  // A put overwrites whatever is there, so the first one looks.
  'repo-host': {
    'one object': { 'first push': 2, change: 1, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 20, change: 1, unchanged: 0, removal: 10 },
  },
  // New variables go in one call; those of ours are known by their ids.
  'deploy-host-project': {
    'one object': { 'first push': 1, change: 1, unchanged: 0, removal: 1 },
    'ten keys': { 'first push': 1, change: 1, unchanged: 0, removal: 10 },
  },
};
