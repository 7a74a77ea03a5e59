import type { DestinationDefinition, Granularity } from '#destinations/contract.ts';
import type { Fake } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { AssociationModel } from './model/association.ts';
import { Possible } from './model/possible.ts';
import { none, type State } from './model/secret.ts';

/** The resources that the clients change. */
export interface Setting {
  readonly secrets: readonly ChaosSecret[];
  readonly destinations: readonly ChaosDestination[];
  readonly associations: AssociationModel;
}

export interface ChaosSecret {
  readonly name: string;
  /** The only client that writes it. Undefined when all clients do; its content is then not predicted. */
  readonly owner: number | undefined;
  readonly model: Possible<State>;
}

export interface ChaosDestination {
  /** `type/name` */
  readonly id: string;
  readonly definition: DestinationDefinition;
  readonly name: string;
  /** The only client that changes and purges it. */
  readonly owner: number;
  readonly connection: Fake['destination'];
  readonly model: Possible<Shape>;
}

/** The settings of a destination that the clients change. */
export interface Shape {
  readonly template: number;
  readonly granularity: Granularity;
  readonly tags: Readonly<Record<string, string>>;
}

const ownedPerClient = 3;
const sharedCount = 4;
const destinationsPerType = ['da', 'db'];
export const templateCount = 3;
export const secretKeys = ['ka', 'kb', 'kc', 'kd'];
export const tagKeys = ['ta', 'tb', 'tc'];

export function newScene(clientCount: number, fakes: ReadonlyMap<string, Fake>): Setting {
  const owners = Array.from({ length: clientCount * ownedPerClient }, (_, index) => index % clientCount);
  const all: (number | undefined)[] = [...owners, ...Array.from({ length: sharedCount }, () => undefined)];
  const destinations = definitions.flatMap((definition) => destinationsPerType.map((name) => ({ definition, name })));
  return {
    secrets: all.map((owner, index) => ({ name: `s${index}`, owner, model: new Possible(none) })),
    destinations: destinations.map(({ definition, name }, index) => ({
      id: `${definition.type}/${name}`,
      definition,
      name,
      owner: index % clientCount,
      connection: fakes.get(definition.type)?.destination ?? {},
      model: new Possible(firstShape(definition)),
    })),
    associations: new AssociationModel(),
  };
}

const firstShape = ({ granularity }: DestinationDefinition): Shape => ({ template: 0, granularity, tags: {} });

/**
 * No two objects have the same name, whichever template renders them, and every type accepts these letters unchanged: a conflict would
 * be a bug.
 */
export function templateText(template: number, granularity: Granularity): string {
  const kind = granularity === 'secret-path' ? 'P' : 'K';
  const head = `T${template}${kind}{{ .DestinationName | uppercase }}X{{ .SecretPath | uppercase }}`;
  return granularity === 'secret-path' ? head : `${head}X{{ .SecretKey | uppercase }}`;
}

/** The expected rendering of `templateText`, independent of the template language. */
export function nameOf(template: string, destination: string, secret: string, key: string): string {
  const head = `${template.slice(0, 3)}${destination}X${secret}`;
  return (template.slice(2, 3) === 'P' ? head : `${head}X${key}`).toUpperCase();
}

/** The body that creates a destination, or replaces it. */
export const bodyOf = ({ connection, definition }: ChaosDestination, shape: Shape): object => ({
  ...connection,
  granularity: shape.granularity,
  secret_name_template: templateText(shape.template, shape.granularity),
  ...(definition.tags === undefined ? {} : { custom_tags: shape.tags }),
});
