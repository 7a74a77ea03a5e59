import type { Operation, Shape } from '#destinations/facts.ts';

/** The operations of an association whose calls are counted. */
export const operations: readonly Operation[] = ['first push', 'change', 'unchanged', 'removal'];

/** The secrets for which they are counted. */
export const shapes: readonly Shape[] = ['one object', 'ten keys'];
