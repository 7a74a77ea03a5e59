import { LRUCache } from 'lru-cache';
import { badRequest } from '../../core/errors.ts';
import { rootNamespace } from '../../core/namespace.ts';
import type { DestinationDefinition, Granularity, NameRule } from '../../destinations/contract.ts';
import { TemplateError } from './error.ts';
import { compileTemplate, type Template, type TemplateInput } from './template.ts';

/** What a template sees of an association, without the key. */
export interface NamedSecret {
  readonly type: string;
  readonly destinationName: string;
  /** Absent: the root. */
  readonly namespaceId?: string;
  /** With a trailing slash; empty: the root. */
  readonly namespacePath?: string;
  readonly mountPath: string;
  readonly mountAccessor: string;
  readonly secretName: string;
}

export type Naming = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly problem: string };

/** Makes the names of one association's objects: renders, brings to the remote's characters, checks. */
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
  const namespacePath = (secret.namespacePath ?? '').replace(/\/$/, '');
  return {
    DestinationType: secret.type,
    DestinationName: secret.destinationName,
    NamespacePath: namespacePath,
    NamespaceBaseName: lastSegment(namespacePath),
    NamespaceID: secret.namespaceId ?? rootNamespace.id,
    MountPath: mountPath,
    MountBaseName: lastSegment(mountPath),
    MountAccessor: secret.mountAccessor,
    SecretPath: secret.secretName,
    SecretBaseName: lastSegment(secret.secretName),
  };
}

const lastSegment = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Checks a template given in a request.
 * @throws AppError `bad-request` with what is wrong and where
 */
export function checkTemplate(template: string, granularity: Granularity): void {
  try {
    const compiled = compileTemplate(template);
    if (granularity === 'secret-path' || compiled.mentions('SecretKey')) return;
  } catch (cause) {
    if (!(cause instanceof TemplateError)) throw cause;
    throw badRequest(`secret_name_template is invalid: ${cause.message}`, { cause });
  }
  throw badRequest(
    'secret name template is invalid: external name template should contain reference to the secret key: with granularity "secret-key", secret_name_template has to mention .SecretKey',
  );
}

/** The template that applies: the destination's own, or the type's for this granularity. */
export const templateOf = (definition: DestinationDefinition, own: string | null, granularity: Granularity): string =>
  own ?? definition.templates[granularity];

/**
 * Reads templates once: thousands of associations share a few. The one that was used longest ago is evicted.
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
