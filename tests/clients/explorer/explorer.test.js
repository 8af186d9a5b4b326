// Every view of the explorer in Chromium: what is on it, what it does, how it fits, axe's rules.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

const url = process.env.DEVCHAIN_URL;
const base = `${url}/explorer`;
const facts = JSON.parse(process.env.FACTS);
const PATIENCE_MS = 120_000; // on a busy machine a page takes seconds
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LAUNCH = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const transactions = Object.values(facts.hashes).flatMap(hash =>
  ["", "/calls", "/steps", "/changes", "/gas", "/lines", "/upgrade"].map(view => `/tx/${hash}${view}`));
const contracts = [facts.token, facts.vault].flatMap(address =>
  ["", "/source", "/source?ran=1", "/call", "/storage", "/events", "/code", "/upgrade?hardfork=iris"].map(view => `/address/${address}${view}`));
const { bazaar } = facts;
const tokens = ["coin", "hostile", "art", "items"].map(name => `/address/${bazaar.contracts[name]}/token`);
const others = [...Object.values(bazaar.contracts).flatMap(address =>
  ["", "/source", "/call", "/storage", "/events"].map(view => `/address/${address}${view}`)),
...["mint", "coin failed", "art moved", "items", "make", "order", "run open"].flatMap(name =>
  ["", "/calls", "/changes"].map(view => `/tx/${bazaar.hashes[name]}${view}`))];
const paths = [
  "/send", `/send?tx=${facts.hashes.nested}`, `/send?tx=${bazaar.hashes["art moved"]}`, "/txs?unfold=1",
  "/search?q=shop", "/search?q=script", "/search?q=open", "/events", `/address/${bazaar.accounts[3]}`,
  `/address/${bazaar.accounts[3]}?block=${bazaar.before}`, ...tokens, ...others,
  `/address/${bazaar.contracts.clone}/storage?variable=orders[2][3]`,
  "", "/blocks", "/block/3", "/block/20", "/txs", "/accounts", "/accounts?block=5", "/contracts", "/tokens", "/mempool", "/charts", "/rootstock",
  "/control", `/tx/${facts.hashes.nested}/steps?at=failure`,
  "/search", "/search?q=nothing-like-it", "/nowhere", ...transactions, ...contracts,
  `/address/${facts.token}/call?f=balanceOf(address)&a0=${facts.vault}`,
  "/address/0x0000000000000000000000000000000001000006/call",
];

const bitcoins = ["", "/block/110", `/tx/${facts.pegIn?.txid}`, `/tx/${facts.pegOut?.txid}`].map(path => `/btc${path}`);
if (facts.pegIn) {
  paths.push(...bitcoins, `/tx/${facts.pegIn.transactionHash}`, `/tx/${facts.pegOut.transactionHash}`);
}

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: LAUNCH });
});
after(async () => { await browser.close(); });

async function rpc(method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const answer = await (await fetch(url, { method: "POST", headers, body })).json();
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  return answer.result;
}

/** A page of its own; `wrong` collects errors of scripts, refused content and dialogs. */
async function open(path = "", { width = 1400, colorScheme = "light", ...more } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 }, colorScheme, bypassCSP: false, ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.wrong = [];
  page.on("pageerror", error => page.wrong.push(error.message));
  page.on("console", message => {
    const text = message.text();
    if (message.type() === "error" && !text.includes("404")) page.wrong.push(text);
  });
  page.on("dialog", dialog => { page.wrong.push(dialog.message()); dialog.dismiss(); });
  await page.goto(base + path);
  return page;
}

/** The page's address; `page.url()` may be behind what a script has pushed. */
async function address(page) {
  return new URL(await page.evaluate(() => location.href));
}

async function close(page) {
  assert.deepEqual(page.wrong, []);
  await page.context().close();
}

for (const [width, colorScheme] of [[1400, "light"], [1400, "dark"], [390, "light"]]) {
  test(`every page fits ${width} pixels and has no fault, ${colorScheme}`, async () => {
    const page = await open("", { width, colorScheme });
    const faults = new Set();
    const options = { resultTypes: ["violations"] };
    if (colorScheme === "dark") options.runOnly = ["color-contrast"]; // nothing else differs
    for (const path of paths) {
      await page.goto(base + path);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wider <= 0, `${path} is ${wider} pixels too wide`);
      const cdp = await page.context().newCDPSession(page);  // not bound by the page's policy
      await cdp.send("Runtime.evaluate", { expression: axe });
      const found = await page.evaluate(options => window.axe.run(document, options), options);
      for (const each of found.violations) {
        faults.add(`${path}: ${each.id} ${each.nodes[0].html.slice(0, 200)}`);
      }
    }
    assert.deepEqual([...faults], []);
    await close(page);
  });
}

test("no link leads nowhere", async () => {
  const seen = new Map();
  for (const path of paths.filter(path => !/nowhere|nothing-like-it/.test(path))) {
    const text = await (await fetch(base + path)).text();
    for (const [, link] of text.matchAll(/(?:href|src|action|hx-get)="(\/[^"#]*)/g)) {
      if (!link.includes("/do/")) seen.set(link.replaceAll("&amp;", "&"), path);
    }
  }
  const broken = [];
  for (const [link, path] of seen) {
    const { status } = await fetch(url + link, { redirect: "manual" });
    if (status >= 400) broken.push(`${path}: ${link} ${status}`);
  }
  assert.ok(seen.size > 500);
  assert.deepEqual(broken, []);
});

test("blocks appear as they are mined; what is reverted is marked and disappears", async () => {
  const page = await open();
  await page.waitForSelector("html.live");
  const snapshot = await rpc("evm_snapshot");
  await rpc("hardhat_mine", "0x2");
  const height = Number(await rpc("eth_blockNumber"));
  const row = page.locator(`#feed a[href$="/block/${height}"]`).first();
  await row.waitFor();
  assert.equal(await page.locator("#height").textContent(), height.toLocaleString("en-US"));

  await rpc("evm_revert", snapshot);

  await page.waitForSelector("#feed .gone");
  await page.locator("#taken-back", { hasText: "2 blocks were taken back" }).waitFor();
  await row.waitFor({ state: "detached" });
  await close(page);
});

test("the page of a transaction says that its block was taken back", async () => {
  const snapshot = await rpc("evm_snapshot");
  const from = facts.accounts[0];
  const hash = await rpc("eth_sendTransaction", { from, to: from });
  const page = await open(`/tx/${hash}`);
  await page.waitForSelector("html.live");

  await rpc("evm_revert", snapshot);

  await page.locator("#taken-back", { hasText: "no longer on the chain" }).waitFor();
  assert.equal(await page.locator("body.gone").count(), 0);
  await close(page);
});

test("one clicks from a transaction to its calls, its block, its contract and back", async () => {
  const page = await open(`/tx/${facts.hashes.nested}`);
  assert.ok(await page.locator(".failure .excerpt").textContent());
  // A click does not wait for the page that it leads to.
  const tab = async name => {
    await page.click(`nav.tabs >> text=${name}`);
    await page.locator(".tabs [aria-current]", { hasText: name }).waitFor();
  };
  await tab("Calls");
  await page.click("button:text-is('Fold all')");
  assert.equal(await page.locator(".tree details[open]").count(), 0);
  await page.click("button:text-is('Unfold all')");
  assert.ok(await page.locator(".tree details[open]").count() >= 2);
  await tab("Changes");
  await tab("Gas");
  assert.ok(await page.locator(".flame rect").count() > 3);
  await tab("Overview");
  await page.click(".facts a.party >> nth=1");
  for (const name of ["Source", "Storage", "Events", "Code"]) await tab(name);
  await close(page);
});

test("one steps through a transaction by clicks and keys", async () => {
  const page = await open(`/tx/${facts.hashes.deposit}/steps`);
  const marked = () => page.locator(".at-source tr.here td:last-child").textContent();
  const step = async () => Number((await page.locator(".where b").textContent()).replace(/\D/g, ""));
  /** Do something that leads to another step, by a swap: the page itself stays. */
  const moved = async act => {
    const before = await step();
    await act();
    await page.waitForFunction(
      before => !document.querySelector(".where b").textContent.endsWith(` ${before}`),
      before.toLocaleString("en-US"));
    assert.equal((await address(page)).searchParams.get("at"), String(await step()));
    return step();
  };
  await page.evaluate(() => { window.isSame = true; });
  const first = await step();
  assert.match(await marked(), /paused/);
  const second = await moved(() => page.keyboard.press("n"));
  assert.ok(second > first);
  assert.equal(await moved(() => page.keyboard.press("N")), first);
  assert.equal(await moved(() => page.click("#move-n")), second);
  const opcode = await moved(() => page.keyboard.press("i"));
  assert.equal(opcode, second + 1);
  assert.equal(await page.evaluate(() => document.activeElement.id), "move-n");
  await moved(() => page.click(".at-source tr:has(code:has-text('transferFrom')) td:last-child"));
  assert.match(await marked(), /transferFrom/);
  while (!/balanceOf\[from\]/.test(await marked())) await moved(() => page.keyboard.press("s"));
  assert.ok(await page.locator(".frames li").count() >= 3);
  await page.keyboard.press("u");
  await page.locator(".frames li:nth-child(2)[aria-current]").waitFor();
  const last = await moved(() => page.keyboard.press("G"));
  assert.ok(await moved(() => page.click("a.ran-before >> nth=0")) < last);
  const early = await step();
  await page.evaluate(() => {
    const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.body.addEventListener("htmx:afterSwap", () => setTimeout(press, 0, "i"), { once: true });
    press("i");
  });
  await page.waitForFunction(
    wanted => document.querySelector(".where b").textContent.endsWith(` ${wanted}`),
    (early + 2).toLocaleString("en-US")); // a key that is pressed as soon as a step is there
  await page.fill("#at", "12");
  assert.equal(await moved(() => page.press("#at", "Enter")), 12);
  assert.equal(await page.evaluate(() => window.isSame), true);
  assert.match(await page.locator("#moved").textContent(), /Step 12/);
  await close(page);
});

test("the browser's Back and Forward step, and Back at the first step leaves", async () => {
  const page = await open(`/tx/${facts.hashes.deposit}`);
  const at = () => page.locator(".where b").textContent();
  const shows = text => page.locator(".where b", { hasText: new RegExp(`^${text}$`) }).waitFor();
  await page.click("nav.tabs >> text=Steps");
  await page.waitForURL(/\/steps/); // the page that is marked is that of the steps, with its scripts
  await page.evaluate(() => { window.isSame = true; });
  const seen = [await at()];
  for (const key of ["n", "n", "i", "G"]) {
    await page.keyboard.press(key);
    await page.waitForFunction(
      before => document.querySelector(".where b").textContent !== before, seen.at(-1));
    seen.push(await at());
  }
  const last = await address(page);

  for (const text of seen.slice(0, -1).reverse()) {
    await page.evaluate(() => history.back());
    await shows(text);
  }

  assert.match(await page.locator("#moved").textContent(), new RegExp(seen[0]));
  assert.equal((await address(page)).search, "");
  await page.evaluate(() => history.go(4));
  await shows(seen.at(-1));
  assert.equal((await address(page)).href, last.href);
  assert.equal(await page.evaluate(() => window.isSame), true);
  await page.evaluate(() => history.go(-5));
  await page.waitForURL(/\/tx\/0x[0-9a-f]+$/);
  assert.equal(await page.locator("#steps").count(), 0);
  await close(page);
});

test("a step of a transaction that was taken back leads to the page that says so", async () => {
  const snapshot = await rpc("evm_snapshot");
  const request = { from: facts.accounts[0], gas: "0x100000", data: "0x5f5f5500" };
  const hash = await rpc("eth_sendTransaction", request);
  const page = await open(`/tx/${hash}/steps?at=0`);
  await page.waitForSelector("html.live");

  await rpc("evm_revert", snapshot);
  await page.locator("#taken-back", { hasText: "no longer on the chain" }).waitFor();
  await page.keyboard.press("i");

  await page.locator("h1", { hasText: "Not found" }).waitFor();
  await close(page);
});

test("Back to a step of a transaction that was taken back leads there too", async () => {
  const snapshot = await rpc("evm_snapshot");
  const request = { from: facts.accounts[0], gas: "0x100000", data: "0x5f5f5500" };
  const hash = await rpc("eth_sendTransaction", request);
  const page = await open(`/tx/${hash}/steps?at=0`);
  await page.waitForSelector("html.live");
  await page.keyboard.press("i");
  await page.waitForURL(/at=1/);

  await rpc("evm_revert", snapshot);
  await page.locator("#taken-back", { hasText: "no longer on the chain" }).waitFor();
  await page.evaluate(() => history.back());

  await page.locator("h1", { hasText: "Not found" }).waitFor();
  await close(page);
});

test("a function is called and a transaction sent by forms", async () => {
  const page = await open(`/address/${facts.token}/call`);
  await page.click("summary:has-text('balanceOf')");
  await page.fill("details[open] input[name=a0]", facts.vault);
  await page.click("button:has-text('Call balanceOf')");
  assert.match(await page.locator("details[open] .decoded").textContent(), /^\d+$/);

  await page.click("summary:has-text('transfer(')");
  const form = page.locator("form:has(button:has-text('Send transfer'))").first();
  await form.locator("input[name=a0]").fill(facts.vault);
  await form.locator("input[name=a1]").fill("12");
  await form.locator("button.primary").click();

  await page.waitForURL(/\/tx\/0x/);
  await page.locator("h1", { hasText: "Success" }).waitFor();
  await close(page);
});

test("buttons mine, take snapshots, revert and move time", async () => {
  const page = await open("/control");
  const height = async () => Number(await rpc("eth_blockNumber"));
  const press = (button) => Promise.all([page.waitForNavigation(), page.click(button)]);
  const first = await height();
  await press("text=Take a snapshot");
  await page.fill("input[name=blocks]", "3");
  await press("button:text-is('Mine')");
  assert.equal(await height(), first + 3);
  await press("text=Go forward and mine");
  assert.equal(await height(), first + 4);
  await page.click("summary:has-text('Revert to it') >> nth=0");
  await press("button:has-text('Drop what was mined since') >> nth=0");
  assert.equal(await height(), first);
  await close(page);
});

test("search, keys and themes", async () => {
  const page = await open();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.keyboard.type("vault");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/address\/0x/);
  await page.locator("h1", { hasText: "Vault" }).waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("b");
  await page.waitForURL(/\/block\/latest/);
  await page.locator("h1", { hasText: "Block" }).waitFor();
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.emulateMedia({ colorScheme: "dark" });
  assert.notEqual(await back(), light);
  await close(page);
});

// Questions of developers: from a page, at most two clicks, each with fields to fill in before it.
const { art, coin, clone, factory, proxy } = bazaar.contracts;
const short = address => new RegExp(`${address.slice(0, 6)}….{4}`, "i");
const questions = {
  "who minted token 2?": {
    from: "/search?q=ART",
    clicks: ["tr:has-text('ART #2') a[href*='/tx/'] >> nth=0"],
    answer: ["minted for account 1 ART #2", "account 1"],
  },
  "which contract did the factory make third?": {
    from: "/contracts", clicks: [`td a[href$='${factory}' i] >> nth=0`],
    answer: [new RegExp(`\\b4\\s*Shop\\s*${bazaar.contracts["shop 3"]}`, "i")], // its model is the first
  },
  "why did this fail, show me the line": {
    from: `/tx/${facts.hashes.nested}`, clicks: [".failure .places a[href*=steps] >> nth=0"],
    answer: [/▶\s*‹?\s*34\s*allowance\[from\]\[msg\.sender\] -= value/],
  },
  "what did account 3 own then?": {
    from: "/accounts",
    clicks: [`a[href$='${bazaar.accounts[3]}' i]`,
      { fill: { "input[name=block]": String(bazaar.before) }, click: "button:has-text('Show')" }],
    answer: [/Bazaar Coin\s*12,343\.1789 BZR/, /Art\s*ART #3/],
  },
  "who emitted Opened?": {
    from: "/search?q=Opened", clicks: ["a[href*='/explorer/events?topic=']:has-text('Shop.Opened')"],
    answer: [short(proxy), short(clone), short(bazaar.contracts["shop 2"])],
  },
  "which transactions called open?": {
    from: "/search?q=Shop.open", clicks: ["bdi:text-is('Shop.open(uint8)')"],
    answer: [/Those that call the function.*open\(uint8\)/, short(proxy), short(clone)],
  },
  "which transactions failed as this one?": {
    from: "/search?q=ERC20InsufficientBalance", clicks: ["a:has-text('ERC20InsufficientBalance(') >> nth=0"],
    answer: [/transfer\(to=.*needed=1\)/],
  },
  "how do I open the shop behind the proxy?": {
    from: "/search?q=Shop.open(to)", clicks: [`a[href*='${proxy}/call' i]`],
    answer: [], shown: "details[open] button:text-is('Send open')",
  },
  "where did the money go that I sent?": {
    from: `/address/${clone}`, clicks: ["tr:has-text('order(item=3') a[href*='/tx/']"],
    answer: [/Inner transfers\s*Shop clone\s*0x\w{4}…\w{4}\s*→\s*account 1 0\.01 RBTC/],
  },
  "what did the bytes of this call ask for?": {
    from: `/tx/${bazaar.hashes["run open"]}`, clicks: ["summary:has-text('Arguments in full')"],
    answer: [/encodes\s*open\(to=Door\.Open\)/],
  },
  "what did it change?": {
    from: `/tx/${bazaar.hashes["open clone"]}`, clicks: ["nav.tabs >> text=Changes"],
    answer: [/door\s*slot 0\s*Door\.Closed\s*Door\.Open/],
  },
  "what is stored for account 2 and item 3?": {
    from: `/address/${clone}`,
    clicks: ["nav.tabs >> text=Storage",
      { fill: { "input[name=variable]": "orders[2][3]" }, click: "button:has-text('Read')" }],
    answer: [/orders\[0x3C44.*\]\[3\] = 40/],
  },
  "what runs behind the proxy?": {
    from: `/address/${proxy}`, clicks: ["p:has-text('Delegates') a", "nav.tabs >> text=Source"],
    answer: ["contract Shop {"],
  },
  "which line used the most gas?": {
    from: `/tx/${facts.hashes.deposit}`, clicks: ["nav.tabs >> text=Gas"],
    answer: [/Lines\s*Place\s*Gas\s*Share\s*Source\s*contracts\/Market\.sol:\d+/],
  },
  "could account 2 send 5 of this coin?": {
    from: `/address/${coin}/call`,
    clicks: ["summary:has-text('transfer(')", {
      fill: { "details[open] input[name=a0]": "1", "details[open] input[name=a1]": "5" },
      select: { "details[open] select": bazaar.accounts[2] },
      click: "details[open] button:has-text('Simulate')",
    }],
    answer: ["It would fail", /ERC20InsufficientBalance\(.*balance=0, needed=5\)/],
  },
  "which collection has the most transfers?": {
    from: "", clicks: ["nav >> text=Tokens"],
    answer: [/Kind\s*Transfers\s*Supply\s*Contract\s*[^\n]*\s*–\s*ERC-20\s*\d+/, /Art\s*ART\s*ERC-721\s*4\s*3 × ART/],
  },
  "who called the mint of this coin?": {
    from: "", clicks: ["nav >> text=Tokens", "td bdi:text-is('Bazaar Coin')"],
    answer: [/21\s*minted\s*account 0\s*0\.000077 BZR\s*by account 2\s*account 2\s*Shop clone\.run\(/],
  },
  "which transactions moved RBTC inside?": {
    first: async () => {
      const { to, input: data, value } = await rpc("eth_getTransactionByHash", bazaar.hashes.order);
      await rpc("eth_sendTransaction", { from: facts.accounts[4], to, data, value, gas: "0x100000" });
    },
    from: "", clicks: ["nav >> text=Transactions", "a:text-is('1 inner transfer') >> nth=0"],
    answer: [/account 4\s*Copy/, /Inner transfers\s*Shop clone\s*0x\w{4}…\w{4}\s*→\s*account 1 0\.01 RBTC/],
  },
  "who paid account 1 without a transaction of its own?": {
    from: "", clicks: ["nav >> text=Accounts", "td bdi:text-is('account 1')"],
    answer: [/20\s*Shop clone\s*0x\w{4}…\w{4}\s*account 1\s*0\.01 RBTC\s*by account 2\s*inner transfer\s*account 2/],
  },
  "could account 5 have 42 RBTC?": {
    from: "", clicks: ["nav >> text=Accounts", {
      fill: { "form[action$='/do/balance'] input[name=balance]": "42rbtc" },
      select: { "form[action$='/do/balance'] select": bazaar.accounts[5] },
      click: "button:text-is('Set')",
    }],
    answer: ["The balance is set.", "Account 5", "Balance42 RBTC"],
  },
  "what did account 3 have at a block?": {
    from: "", clicks: ["nav >> text=Accounts", {
      fill: { "input[name=block]": String(bazaar.before) },
      select: { "form:not([method]) select[name=account]": bazaar.accounts[3] },
      click: "button:text-is('Show')",
    }],
    answer: [/After block 11/, /Balance\s*10,000 RBTC/, /Art\s*ART #3/],
  },
  "what had all accounts at a block?": {
    from: "", clicks: ["nav >> text=Accounts",
      { fill: { "input[name=block]": "0" }, click: "button:text-is('Show')" }],
    answer: ["Balances and nonces after block 0", /account 0\s*0xf39F\S+?\s*10,000 RBTC\s*0\s*unlocked/],
  },
  "which Bitcoin transaction paid the last peg-out?": {
    from: "", clicks: ["nav a:has-text('Rootstock')", "#pegs tr:has-text('peg-out') a[href*='/btc/tx/'] >> nth=0"],
    answer: [facts.pegOut.txid],
  },
  "which Bitcoin transaction paid my peg-out?": {
    from: `/tx/${facts.pegOut.transactionHash}`, clicks: [`a[href$='/btc/tx/${facts.pegOut.txid}']`],
    answer: [/Bitcoin transaction\s*[0-9a-f]{64}/, "0.999628 BTC", "release_request_received"],
  },
  "which Bitcoin transaction was this batch, before it was signed?": {
    from: "/address/0x0000000000000000000000000000000001000006/events",
    clicks: ["bdi:has-text('batch_pegout_created') a >> nth=0"],
    answer: [facts.pegOut.txid],
  },
};

for (const [question, { first, from, clicks, answer, shown = "main" }] of Object.entries(questions)) {
  test(`one or two clicks answer: ${question}`, async () => {
    await first?.();
    const page = await open(from);
    assert.ok(clicks.length <= 2);
    for (const each of clicks) {
      const { fill = {}, select = {}, click = each } = each;
      for (const [field, text] of Object.entries(fill)) await page.fill(field, text);
      for (const [field, text] of Object.entries(select)) {
        await page.selectOption(field, await page.locator(`${field} option[value='${text}' i]`).getAttribute("value"));
      }
      await page.click(click);
    }
    await page.locator(shown).waitFor();
    for (const each of answer) await page.locator("main", { hasText: each }).waitFor();
    await close(page);
  });
}

test("pages of accounts, contracts and tokens are live, unless something on them is open", async () => {
  const [from, to] = facts.accounts;
  const account = await open(`/address/${to}`);
  const contract = await open(`/address/${clone}`);
  const token = await open(`/address/${coin}/token`);
  const storage = await open(`/address/${clone}/storage?variable=0`);
  const events = await open(`/address/${clone}/events`);
  for (const page of [account, contract, token, storage, events]) await page.waitForSelector("html.live");
  await events.click("summary >> nth=0");
  const count = await events.locator("article").count();

  await rpc("eth_sendTransaction", { from, to, value: "0x7" });
  await rpc("eth_sendTransaction", { from, to: clone, data: `0x56f6a897${"0".repeat(64)}` }); // open(0)
  await rpc("eth_sendTransaction",
    { from, to: coin, data: `0x40c10f19${to.slice(2).padStart(64, "0")}${"7".padStart(64, "0")}` }); // mint

  await contract.locator(".getters", { hasText: "Door.Closed" }).waitFor();
  await storage.locator("td", { hasText: "Door.Closed" }).waitFor();
  await token.locator("tr", { hasText: "0.000007 BZR" }).waitFor();
  assert.equal(await events.locator("article").count(), count);
  await events.click("summary >> nth=0");
  await events.locator("article", { hasText: "Door.Closed" }).waitFor();
  await account.locator("tr", { hasText: "7 wei" }).waitFor();
  for (const page of [account, contract, token, storage, events]) await close(page);
});

test("a transaction is simulated, fails, is changed and sent", async () => {
  const page = await open(`/tx/${facts.hashes.nested}`);
  await page.click("text=Replay or change");
  await page.locator(".failure", { hasText: "It would fail" }).waitFor();
  await page.fill("input[name=to]", facts.accounts[1]);
  await page.fill("textarea[name=data]", "");
  await page.click("button:has-text('Simulate')");
  await page.locator("text=It would succeed").waitFor();
  await page.click("button:has-text('Send it')");
  await page.waitForURL(/\/tx\/0x/);
  await page.locator("h1", { hasText: "Success" }).waitFor();
  await close(page);
});

test("lists, the mempool and a pending transaction are live", async () => {
  const list = await open("/txs");
  await list.waitForSelector("html.live");
  await rpc("evm_setAutomine", false);
  const [from, to] = facts.accounts;
  const hash = await rpc("eth_sendTransaction", { from, to, value: "0x7" });
  const pending = await open(`/tx/${hash}`);
  await pending.waitForSelector("html.live");
  const pool = await open("/mempool");
  await pool.waitForSelector("html.live");
  await pool.locator(`a[href$="/tx/${hash}"]`).waitFor();

  await rpc("hardhat_mine", "0x1");
  await rpc("evm_setAutomine", true);

  await pending.locator("h1", { hasText: "Success" }).waitFor();
  await list.locator(`a[href$="/tx/${hash}"]`).waitFor();
  await pool.locator("text=Nothing is pending").waitFor();
  for (const page of [list, pending, pool]) await close(page);
});

test("equal transactions are one row, which unfolds", async () => {
  const page = await open("/txs");
  await page.click("text=× 15, show all >> nth=0");
  await page.waitForURL(/unfold=1/);
  assert.ok(await page.locator("tr[data-block]").count() > 30);
  await close(page);
});

test("bars of charts and gas are seen on narrow screens", async () => {
  const page = await open("/charts", { width: 360 });
  const tallest = () => page.evaluate(() => Math.max(
    ...[...document.querySelectorAll("rect.full")].map(each => each.getBoundingClientRect().height)));
  assert.ok(await tallest() > 20);
  await page.goto(`${base}/block/3`);
  assert.ok(await tallest() > 2);
  await close(page);
});

test("everything can be read without JavaScript", async () => {
  const page = await open("", { javaScriptEnabled: false });
  await page.click("#feed a[href*='/tx/'] >> nth=0");
  await page.locator(".facts dt >> nth=5").waitFor();
  await page.click("text=Calls");
  await page.locator(".tree li >> nth=0").waitFor();
  await page.goto(`${base}/tx/${facts.hashes.nested}/steps`);
  const follow = async link => {
    const before = page.url();
    await page.click(link);
    await page.waitForURL(after => after.href !== before);
  };
  await follow("#move-s");
  await follow("#move-x");
  assert.match(await page.locator(".at-source tr.here").textContent(), /allowance/);
  await follow(".at-source td.num a >> nth=0");
  assert.equal(await page.locator(".where .failed").count(), 0);
  await page.fill("#search", "3");
  await page.press("#search", "Enter");
  await page.locator("h1", { hasText: "Block 3" }).waitFor();
  await page.context().close();
});
