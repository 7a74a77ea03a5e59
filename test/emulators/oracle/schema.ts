import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A validator of JSON schemas, which returns the problems as texts without values. */
export type CheckSchema = (value: unknown) => readonly string[];

interface Problem {
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}
interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly Problem[] | null;
}
interface Ajv {
  addSchema(schema: object, key: string): unknown;
  compile(schema: object): Validate;
}
interface Packages {
  readonly Ajv: new (options: object) => Ajv;
  readonly addFormats: (ajv: Ajv) => void;
}

/** Schemas inside one document, by JSON pointers such as `/components/schemas/secret`. */
export function openSchemas(packages: string, document: object): (pointer: string) => CheckSchema {
  const require = createRequire(join(packages, 'package.json'));
  const { Ajv, addFormats }: Packages = { Ajv: require('ajv').default, addFormats: require('ajv-formats').default };
  const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(document, 'description');
  const compiled = new Map<string, Validate>();
  return (pointer) => (value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `description#${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    return validate(value) ? [] : (validate.errors ?? []).map(textOf);
  };
}

const textOf = ({ instancePath, message = 'does not fit', params }: Problem): string =>
  `${instancePath === '' ? 'it' : instancePath} ${message}${'additionalProperty' in params ? `: ${String(params['additionalProperty'])}` : ''}`;

/** A step of a JSON pointer. */
export const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
