/** They only echo: what is left is what Temporal costs. */
export async function model(step: number): Promise<number> {
  return step;
}

export async function tool(call: number): Promise<number> {
  return call;
}
