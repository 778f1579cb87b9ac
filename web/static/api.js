// What a judge asks of the server, and what is wrong when it refuses.
import { t, tOr } from "/static/i18n.js";

async function ask(method, path, body) {
  const request = { method, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Error(t("judge.offline"));
  }
  if (response.status === 204) return null;
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Error(response.statusText || String(response.status));
  }
  if (!response.ok) throw new Error(tOr(`problem.${answer.code}`, answer.detail ?? response.statusText));
  return answer;
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);
