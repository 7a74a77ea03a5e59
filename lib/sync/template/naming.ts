import { LRUCache } from 'lru-cache';
import { badField } from '#core/errors.ts';
import type { DestinationDefinition, Granularity, NameRule } from '#destinations/contract.ts';
import { compileTemplate, type Template, type TemplateInput } from './template.ts';
import { TemplateError } from './tokens.ts';

/** The values that a template sees for an association, except the key. */
export interface NamedSecret {
  readonly type: string;
  readonly destinationName: string;
  readonly namespaceId: string;
  /** With a trailing slash; empty for the root. */
  readonly namespacePath: string;
  readonly mountPath: string;
  readonly mountAccessor: string;
  readonly secretName: string;
}

export type Naming = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

/** Returns the naming of the objects of one association: renders, normalises to the characters of the remote, checks. */
export function namer(compiled: Template, rule: NameRule, secret: NamedSecret): (subKey: string) => Naming {
  const fixed = templateInput(secret);
  return (subKey) => {
    try {
      const name = rule.normalise(compiled.render({ ...fixed, SecretKey: subKey }));
      const problem = name === '' ? 'the name is empty' : rule.refuse(name);
      if (problem === undefined) return { ok: true, name };
      return { ok: false, problem: `name ${JSON.stringify(name)}: ${problem}; a name is ${rule.text}` };
    } catch (cause) {
      if (!(cause instanceof TemplateError)) throw cause;
      return { ok: false, problem: `secret_name_template: ${cause.message}` };
    }
  };
}

function templateInput(secret: NamedSecret): Omit<TemplateInput, 'SecretKey'> {
  const mountPath = secret.mountPath.replace(/\/$/, '');
  const namespacePath = secret.namespacePath.replace(/\/$/, '');
  return {
    DestinationType: secret.type,
    DestinationName: secret.destinationName,
    NamespacePath: namespacePath,
    NamespaceBaseName: lastSegment(namespacePath),
    NamespaceID: secret.namespaceId,
    MountPath: mountPath,
    MountBaseName: lastSegment(mountPath),
    MountAccessor: secret.mountAccessor,
    SecretPath: secret.secretName,
    SecretBaseName: lastSegment(secret.secretName),
  };
}

const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Checks a template from a request.
 * @throws AppError `bad-request` that says what is wrong and where
 */
export function checkTemplate(template: string, granularity: Granularity): void {
  try {
    const compiled = compileTemplate(template);
    if (granularity === 'secret-path' || compiled.mentions('SecretKey')) return;
  } catch (cause) {
    if (!(cause instanceof TemplateError)) throw cause;
    throw badField('secret_name_template', `secret_name_template is invalid: ${cause.message}`, { cause });
  }
  throw badField(
    'secret_name_template',
    'secret name template is invalid: external name template should contain reference to the secret key: with granularity "secret-key", secret_name_template has to mention .SecretKey',
  );
}

/** The effective template: that of the destination, or the default of the type for this granularity. */
export const templateOf = (definition: DestinationDefinition, own: string | null, granularity: Granularity): string =>
  own ?? definition.templates[granularity];

/**
 * Compiles templates and caches them, since thousands of associations share a few. Evicts the least recently used.
 * @throws TemplateError as `compileTemplate` does
 */
export function keepTemplates(countMax: number): (text: string) => Template {
  const kept = new LRUCache<string, Template>({ max: countMax });
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const template = compileTemplate(text);
    kept.set(text, template);
    return template;
  };
}
