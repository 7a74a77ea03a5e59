import bcrypt from 'bcrypt';
import { fastify } from 'fastify';
import pg from 'pg';
import { z } from 'zod';
import { insertStatement, selectStatement } from '../baseline/rows.ts';
import { serveParent } from './parent.ts';

/** A bare Fastify server on PostgreSQL: one prepared statement per request, and nothing else. */
await serveParent(
  z.object({ poolSize: z.int(), databaseUrl: z.string().optional() }),
  async ({ poolSize, databaseUrl }) => {
    const pool = new pg.Pool({ connectionString: databaseUrl ?? process.env['DATABASE_URL'], max: poolSize });
    const app = fastify({ logger: false });
    app.get<{ Params: { '*': string } }>('/read/*', async (request, reply) => {
      const { rows } = await pool.query({ ...selectStatement, values: [request.params['*']] });
      return rows[0] ?? reply.code(404).send({});
    });
    app.post<{ Params: { '*': string } }>('/write/*', async (request) => {
      await pool.query({ ...insertStatement, values: [request.params['*'], JSON.stringify(request.body)] });
      return { written: true };
    });
    app.post<{ Params: { hash: string; '*': string }; Body: { password: string } }>(
      '/hashed/:hash/*',
      async (request) => {
        const right = await bcrypt.compare(request.body.password, request.params.hash);
        await pool.query({ ...insertStatement, values: [request.params['*'], JSON.stringify({ right })] });
        return { written: true };
      },
    );
    return {
      ready: { address: await app.listen({ port: 0, host: '127.0.0.1' }) },

      async close() {
        await app.close();
        await pool.end();
      },
    };
  },
);
