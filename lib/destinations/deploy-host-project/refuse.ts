import { DestinationFailure, type PutItem } from '../contract.ts';
import { definition } from './index.ts';
import type { VariableRecord } from './record.ts';

/** What is wrong with an item before any call, or undefined. */
export function unfit({ name, value }: PutItem): DestinationFailure | undefined {
  const reason = definition.names.refuse(name);
  if (reason !== undefined) return new DestinationFailure('name', `cannot write variable ${name}: ${reason}`);
  if (value.bytes <= definition.valueBytesMax) return undefined;
  const size = `the value has ${value.bytes} bytes, at most ${definition.valueBytesMax} are allowed`;
  return new DestinationFailure('too-large', `cannot write variable ${name}: ${size}`);
}

/** Somebody else's variable is where ours would be. */
export function foreign({ name, targets }: VariableRecord): DestinationFailure {
  const found = `a variable ${name} for ${targets.join(', ')} was there before and is not ours`;
  return new DestinationFailure('conflict', `${found}: remove it there, change secret_name_template, or adopt it`);
}
