import { Badge } from '../../parts/badge.tsx';
import type { Look } from '../../parts/words.ts';
import type { Row } from './document/rows.ts';

const looks: Readonly<Record<string, Omit<Look, 'word'>>> = {
  GET: { tone: 'off', icon: 'eye' },
  POST: { tone: 'wait', icon: 'plus' },
  PUT: { tone: 'wait', icon: 'plus' },
  PATCH: { tone: 'warn', icon: 'spin' },
  DELETE: { tone: 'fail', icon: 'minus' },
};

export const Method = ({ method }: Pick<Row, 'method'>) => (
  <Badge word={method} {...(looks[method] ?? { tone: 'off', icon: 'question' })} />
);
