import { definitions } from '#destinations/index.ts';
import { typeNames } from '#path/vocabulary.ts';

/** The names of all types, as the service has them. */
export const allTypeNames = typeNames(definitions);
