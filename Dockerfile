# A node in a container, reachable from this machine alone:
#
#   docker build -t devchain .
#   docker run --rm -p 127.0.0.1:4444:4444 devchain start --network test
#
# Other containers call it by its name, which is refused until DEVCHAIN_ALLOW_HOST has it: compose.yaml.

FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /opt/devchain
COPY requirements.lock ./
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY devchain devchain
# Wheels only: neither stage has a compiler.
RUN PIP_CONSTRAINT=requirements.lock PIP_BUILD_CONSTRAINT=requirements.lock \
    /opt/devchain/bin/pip install --no-cache-dir --only-binary :all: .

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 devchain && install -d -o devchain -g devchain /data
COPY --from=build /opt/devchain /opt/devchain
ENV PATH=/opt/devchain/bin:$PATH \
    DEVCHAIN_HOST=0.0.0.0 \
    PYTHONUNBUFFERED=1
USER 1000
# devchain.toml is read from here, and a mounted volume belongs to the user: --data-dir /data/chain.
WORKDIR /data
EXPOSE 4444
HEALTHCHECK --interval=5s --timeout=5s --start-period=20s --start-interval=1s CMD \
    ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:4444/health', timeout=4)"]
ENTRYPOINT ["devchain"]
CMD ["start"]
