// orval writes the address of the server into its client, so publish.ts is bundled for one server.
module.exports = {
  portico: {
    input: './openapi.yaml',
    output: { target: './generated/orval.ts', client: 'fetch', mode: 'single', baseUrl: '${process.env.PORTICO_URL}' },
  },
};
