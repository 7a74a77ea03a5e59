import type { TableNotes } from '../note.ts';

export const connections: TableNotes = {
  ws_agent_pool_scopes: {},
  ws_agent_pools: {},
  ws_agent_tokens: { columns: { hash: 'Keyed hash of the token.' } },
  ws_agents: {},
  ws_deliveries: { about: 'Notifications that are to be sent.' },
  ws_notification_users: {},
  ws_notifications: { columns: { token: 'Sealed.' } },
  ws_oauth_client_projects: {},
  ws_oauth_clients: { columns: { secret: 'Sealed.', private_key: 'Sealed.', webhook_secret: 'Sealed.' } },
  ws_oauth_tokens: { columns: { secret: 'Sealed.', ssh_key: 'Sealed.' } },
};
